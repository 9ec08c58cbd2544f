import { expect, it } from 'vitest';
import { publishable } from '../../bench/publish/publish.js';
import { drawBars } from '../../bench/publish/bars.js';
import { contestTable, ladderTable, toBars, toRoofline } from '../../bench/publish/measurements.js';
import { slugOf, withChart, withSection } from '../../bench/publish/page-section.js';
import { drawRoofline } from '../../bench/publish/roofline.js';
import { element, escapeXml, logScale, textElement } from '../../bench/publish/svg.js';
import type { Measured, ResultLine } from '../../bench/record/results.js';

const record = (part: string, measured: Measured, otherWork = 0): ResultLine => ({
  part,
  run: '2026-01-01T10:00:00Z',
  commit: 'abc',
  cpu: 'A <fast> CPU & co',
  cores: 2,
  memoryGiB: 8,
  loadAverage: 0.1,
  otherWork,
  measured,
});
const ladder = (step: string, gmacPerSecond: number | null, rows: number, place = 'cache', node = '24.1.0') =>
  record('machine', {
    bench: 'ladder',
    place,
    step,
    quant: 'q8',
    rows,
    threads: 2,
    gmacPerSecond,
    macsPerByte: rows === 1 ? 0.94 : 60,
    node,
  });
const machine = [
  record('machine', { bench: 'memory', threads: 2, gbPerSecond: 30, node: '24.1.0' }),
  ladder('javascript', 1.5, 64),
  ladder('vnni', 200, 64),
  ladder('portable', 50, 64),
  ladder('narrow', null, 64),
  ladder('vnni', 28, 1, 'memory'),
];
const peer = (contestant: string, rate: number, node?: string) =>
  record('peers', {
    file: '1.1B Q4_0',
    measure: 'decode',
    contestant,
    ...(node !== undefined && { node }),
    runs: [rate],
    weightBytes: 5.8e8,
    multiplyAdds: 1.03e9,
    threads: 2,
  });
const peers = [peer('ours', 44, 'v24.1.0'), peer('bare', 40), peer('memory', 30, 'v24.1.0')];

it('text that would end a tag or an attribute is escaped', () => {
  expect(escapeXml(`<a> & "b" 'c'`)).toBe('&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;');
  expect(textElement('a < b', 1, 2)).toBe('<text x="1" y="2">a &lt; b</text>');
  expect(element('g', { title: '"' })).toBe('<g title="&quot;"/>');
});

it('a logarithmic scale maps equal ratios to equal distances', () => {
  const scale = logScale(1, 100, 0, 10);
  expect([scale(1), scale(10), scale(100)]).toEqual([0, 5, 10]);
  expect(logScale(1, 100, 10, 0)(10)).toBe(5);
});

it('the picture is well formed, small, and shows ladder, roof and points', () => {
  const roofline = toRoofline(machine, peers, 'A <fast> CPU & co');
  expect(roofline.ladder.map(({ gmacPerSecond }) => gmacPerSecond)).toEqual([1.5, 50, 200]);
  expect(roofline.gbPerSecond).toBe(30);
  expect(roofline.points.map(({ series, kind }) => [series, kind])).toEqual([
    ['ours, Node 24', 'kernel'],
    ['ours, Node 24', 'kernel'],
    ['ours, Node 24', 'model'],
    ['llama.cpp', 'model'],
  ]);
  const svg = drawRoofline(roofline);
  expect(svg.length).toBeLessThan(20_000);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  expect(svg).toContain('A &lt;fast&gt; CPU &amp; co');
  expect(openTags(svg)).toEqual([]);
});

/** Tags that are not closed in order. */
function openTags(svg: string): string[] {
  const open: string[] = [];
  for (const [, close, name = '', empty] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name);
    else if (empty !== '/') open.push(name);
  }
  return open;
}

it('the tables have a line for each verdict and each step that works', () => {
  expect(contestTable(peers).split('\n')[2]).toMatch(/1\.1B Q4_0 *\| decode *\| 24\.1\.0 .* 1\.1 .* met/);
  const single = machine.map((line) => ({ ...line, measured: { ...line.measured, threads: 1 } }));
  expect(ladderTable(single)).not.toContain('narrow');
  expect(ladderTable(single).split('\n')).toHaveLength(5);
});

it('nothing is published that was measured beside other work, or not at all', () => {
  expect(publishable(machine, 'machine')).toHaveLength(6);
  expect(() => publishable(machine, 'peers')).toThrow(/nothing was recorded of peers/);
  expect(() => publishable([record('peers', {}, 0.6)], 'peers')).toThrow(/others used 0.6 cores/);
});

it('a section of the page takes the place of the last one of its CPU, and leaves all others alone', () => {
  const readme = '# A\n\n## Limits\n\nb\n\n## Measure it yourself\n\nc\n';
  const slug = slugOf('AMD EPYC (Zen 5)', 2);
  expect(slug).toBe('amd-epyc-zen-5-2-cores');
  const once = withSection(readme, slug, 'first');
  expect(once).toMatch(
    /b\n\n## How fast it is\n\n<!--.*begin -->\n\nfirst\n\n<!--.*end -->\n\n## Measure it yourself\n\nc\n$/,
  );
  expect(withSection(once, slug, 'first')).toBe(once);
  const twice = withSection(withSection(once, 'other-cpu', 'second'), slug, 'third');
  expect(twice).toMatch(/third[^]*second[^]*## Measure it yourself\n\nc\n$/);
  expect(twice).not.toContain('first');
  expect(twice.startsWith('# A\n\n## Limits\n\nb\n\n')).toBe(true);
  expect(() => withSection('# A\n', slug, 'x')).toThrow(/neither/);
});

it('the chart has a bar for each contestant, with llama.cpp as the measure of length, and is well formed', () => {
  const groups = toBars(peers);
  expect(groups).toEqual([
    {
      title: '1.1B Q4_0',
      measure: 'decode',
      bars: [
        { series: 'Troupe, Node 24', tokensPerSecond: 44, ratio: 1.1 },
        { series: 'llama.cpp', tokensPerSecond: 40, ratio: 1 },
      ],
    },
  ]);
  const svg = drawBars({ heading: 'A <fast> CPU & co', groups });
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  expect(svg).toContain('A &lt;fast&gt; CPU &amp; co');
  expect(openTags(svg)).toEqual([]);
});

it("a line that llama.cpp did not run, and a Node that is not the chart's, have no bar", () => {
  expect(toBars([peer('ours', 44, 'v24.1.0')])).toEqual([]);
  expect(toBars([peer('ours', 44, 'v20.1.0'), peer('bare', 40)])).toEqual([]);
});

it('the chart takes the place of the last one between its marks', () => {
  const readme = 'a\n<!-- bench chart: begin -->\n<!-- bench chart: end -->\nb\n';
  const once = withChart(readme, 'x.svg', 'speed');
  expect(once).toBe('a\n<!-- bench chart: begin -->\n\n![speed](x.svg)\n\n<!-- bench chart: end -->\nb\n');
  expect(withChart(once, 'x.svg', 'speed')).toBe(once);
  expect(() => withChart('a', 'x.svg', 'speed')).toThrow(/no marks/);
});

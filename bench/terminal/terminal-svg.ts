// A terminal as an animated SVG file. Every line has a clip whose width grows as the line did (SMIL, discrete steps); a viewer
// that does not animate shows the last moment. The window brings its background, so it reads on light and dark pages.

import { element, textElement } from '../publish/svg.js';
import { COLUMNS, type Screen, type ScreenLine } from './screen.js';

const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 20;
const BAR = 34;
const WIDTH = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);

const STYLE = `
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}
.command{fill:#7ee787}.name{fill:#9198a1;font-size:12px}`;

/** The file; `title` is what the window and a screen reader say. */
export function drawScreen({ lines, durationMs }: Screen, title: string): string {
  const height = BAR + lines.length * LINE + MARGIN;
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img' };
  return `${element('svg', attributes, [
    '<!-- Made by the part draw of `npm run bench` from a run of the real commands: output comes when it came. -->',
    element('title', {}, [textElement(title, 0, 0).replace(/<[^>]*>/g, '')]),
    element('style', {}, [STYLE]),
    element('rect', {
      x: 0.5,
      y: 0.5,
      width: WIDTH - 1,
      height: height - 1,
      rx: 8,
      fill: '#0d1117',
      stroke: '#484f58',
    }),
    ...['#ff5f57', '#febc2e', '#28c840'].map((fill, i) => element('circle', { cx: 20 + i * 18, cy: 18, r: 5.5, fill })),
    textElement(title, WIDTH / 2, 22, { class: 'name', 'text-anchor': 'middle' }),
    ...lines.flatMap((line, i) => drawLine(line, i, durationMs)),
  ])}\n`;
}

function drawLine(line: ScreenLine, index: number, durationMs: number): string[] {
  if (line.text === '') return [];
  const y = BAR + index * LINE;
  const width = line.text.length * CHARACTER;
  const steps = [{ atMs: 0, length: 0 }, ...line.growth.filter(({ atMs }) => atMs > 0)];
  // A viewer without `textLength` may draw the line a little longer.
  const shown = width + CHARACTER;
  const [first] = line.growth;
  const known = first?.atMs === 0 ? [{ atMs: 0, length: first.length }, ...steps.slice(1)] : steps;
  const values = known
    .map(({ length }) => rounded(length < line.text.length ? length * CHARACTER : shown, 1))
    .join(';');
  const keyTimes = known.map(({ atMs }) => rounded(atMs / durationMs, 4)).join(';');
  const animate = element('animate', {
    attributeName: 'width',
    values,
    keyTimes,
    calcMode: 'discrete',
    dur: `${rounded(durationMs / 1000, 2)}s`,
    repeatCount: 'indefinite',
  });
  const clip = element('rect', { x: MARGIN, y, width: shown, height: LINE }, [animate]);
  return [
    element('clipPath', { id: `line${index}` }, [clip]),
    textElement(line.text, MARGIN, y + 15, {
      class: line.kind,
      textLength: width,
      lengthAdjust: 'spacingAndGlyphs',
      'clip-path': `url(#line${index})`,
    }),
  ];
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

// The roofline (Williams, Waterman, Patterson 2009): speed over multiply-adds per byte of weights read. Left of the ridge
// memory is the limit, right of it arithmetic is. Both roofs are measured, none is from a data sheet.

import { element, logScale, textElement } from './svg.js';

/** A measured point. */
export interface RooflinePoint {
  /** Whose: one colour each. */
  readonly series: string;
  /** Kernels alone are drawn hollow, whole models filled. */
  readonly kind: 'kernel' | 'model';
  readonly macsPerByte: number;
  readonly gmacPerSecond: number;
  readonly title: string;
}

/** What is drawn. */
export interface Roofline {
  readonly heading: string;
  readonly gbPerSecond: number;
  /** Steps of the ladder with their speed, slowest first; the last is the roof. */
  readonly ladder: readonly { readonly step: string; readonly gmacPerSecond: number }[];
  readonly points: readonly RooflinePoint[];
}

const WIDTH = 820;
const HEIGHT = 520;
const LEFT = 60;
const RIGHT = 630;
const TOP = 46;
const BOTTOM = 460;
const X_FROM = 0.5;
const X_TO = 1024;
/** Labels of the ladder nearer than this to the one below are moved up. */
const LABEL_GAP = 13;

// Colours that hold a contrast of 3 to 1 on white and on GitHub's dark background alike.
const COLOURS = ['#2f81f7', '#1a9988', '#d9730d', '#a371f7', '#c74e8a'];

const STYLE = `
text{font:12px system-ui,sans-serif;fill:#1f2328}
.quiet{fill:#59636e}.grid{stroke:#d1d9e0;stroke-width:.5}.step{stroke:#818b98;stroke-dasharray:3 3}
.roof{stroke:#1f2328;stroke-width:2;fill:none}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.grid{stroke:#3d444d}.roof{stroke:#f0f6fc}}`;

/** The picture as an SVG file, without a background, so that light and dark pages show through. */
export function drawRoofline({ heading, gbPerSecond, ladder, points }: Roofline): string {
  const speeds = [...ladder, ...points].map(({ gmacPerSecond }) => gmacPerSecond);
  const yFrom = 10 ** Math.floor(Math.log10(Math.min(...speeds)));
  const yTo = 10 ** Math.ceil(Math.log10(Math.max(...speeds) * 1.2));
  const x = logScale(X_FROM, X_TO, LEFT, RIGHT);
  const y = logScale(yFrom, yTo, BOTTOM, TOP);
  const peak = ladder.at(-1)?.gmacPerSecond ?? yTo;
  const ridge = peak / gbPerSecond;
  const firstX = Math.max(X_FROM, yFrom / gbPerSecond);
  const series = [...new Set(points.map((point) => point.series))];
  const colourOf = (name: string): string => COLOURS[series.indexOf(name) % COLOURS.length] ?? 'gray';
  const roof = [`${x(firstX)},${y(firstX * gbPerSecond)}`, `${x(ridge)},${y(peak)}`, `${RIGHT},${y(peak)}`];
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' };
  return `${element('svg', attributes, [
    element('title', {}, [escapeHeading(heading)]),
    element('style', {}, [STYLE]),
    textElement(heading, LEFT, 20, { 'font-weight': 'bold' }),
    ...grid(x, y, yFrom, yTo),
    ...drawLadder(ladder, y),
    element('polyline', { class: 'roof', points: roof.join(' ') }),
    textElement(`memory, ${Math.round(gbPerSecond)} GB/s`, x(ridge), y(peak) - 8, { 'text-anchor': 'end' }),
    ...points.map((point) => drawPoint(point, x(point.macsPerByte), y(point.gmacPerSecond), colourOf(point.series))),
    ...legend(series, colourOf),
  ])}\n`;
}

function escapeHeading(heading: string): string {
  return textElement(heading, 0, 0).replace(/<[^>]*>/g, '');
}

function grid(x: (v: number) => number, y: (v: number) => number, yFrom: number, yTo: number): string[] {
  const lines: string[] = [];
  for (let value = 1; value <= X_TO; value *= 4) {
    lines.push(element('line', { class: 'grid', x1: x(value), x2: x(value), y1: TOP, y2: BOTTOM }));
    lines.push(textElement(String(value), x(value), BOTTOM + 16, { class: 'quiet', 'text-anchor': 'middle' }));
  }
  for (let value = yFrom; value <= yTo; value *= 10) {
    lines.push(element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value) }));
    lines.push(textElement(String(value), LEFT - 8, y(value) + 4, { class: 'quiet', 'text-anchor': 'end' }));
  }
  const middle = (LEFT + RIGHT) / 2;
  lines.push(
    textElement('multiply-adds per byte of weights', middle, BOTTOM + 34, { class: 'quiet', 'text-anchor': 'middle' }),
  );
  lines.push(textElement('GMAC/s', 8, TOP - 8, { class: 'quiet' }));
  return lines;
}

function drawLadder(ladder: Roofline['ladder'], y: (v: number) => number): string[] {
  let above = Infinity;
  return ladder.flatMap(({ step, gmacPerSecond }) => {
    const at = y(gmacPerSecond);
    above = Math.min(at, above - LABEL_GAP);
    return [
      element('line', { class: 'step', x1: LEFT, x2: RIGHT, y1: at, y2: at }),
      textElement(`${step}, ${Number(gmacPerSecond.toPrecision(3))}`, RIGHT + 8, above + 4),
    ];
  });
}

function drawPoint({ kind, title }: RooflinePoint, cx: number, cy: number, colour: string): string {
  const look = kind === 'kernel' ? { fill: 'none', stroke: colour, 'stroke-width': 2 } : { fill: colour };
  return element('circle', { cx, cy, r: 5, ...look }, [element('title', {}, [escapeHeading(title)])]);
}

function legend(series: readonly string[], colourOf: (name: string) => string): string[] {
  const step = (RIGHT - LEFT + 150) / Math.max(1, series.length);
  return [
    ...series.flatMap((name, i) => [
      element('circle', { cx: LEFT + i * step, cy: HEIGHT - 10, r: 5, fill: colourOf(name) }),
      textElement(name, LEFT + i * step + 10, HEIGHT - 6),
    ]),
    textElement('filled: a whole model', RIGHT + 28, BOTTOM + 16, { class: 'quiet' }),
    textElement('hollow: a kernel alone', RIGHT + 28, BOTTOM + 34, { class: 'quiet' }),
  ];
}

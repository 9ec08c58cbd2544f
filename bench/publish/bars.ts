// The bar chart of docs/performance.md: tokens a second of everyone on the same files. A bar's length is its rate over
// llama.cpp's, since rates of prefill and decode do not fit one scale; the rate stands behind it.

import { element, textElement } from './svg.js';

/** One contestant in one line of the contest. */
export interface Bar {
  readonly series: string;
  readonly tokensPerSecond: number;
  /** Over llama.cpp's rate. */
  readonly ratio: number;
}

/** One file and measure, with a bar for each contestant. */
export interface BarGroup {
  readonly title: string;
  readonly measure: string;
  readonly bars: readonly Bar[];
}

/** What is drawn. */
export interface BarChart {
  readonly heading: string;
  readonly groups: readonly BarGroup[];
}

const WIDTH = 820;
const LEFT = 190;
const RIGHT = 740;
const TOP = 64;
const BAR = 13;
const GAP = 14;
// Colours that hold a contrast of 3 to 1 on white and on GitHub's dark background alike; ours is the strong one.
const COLOURS = ['#2f81f7', '#818b98', '#a8793a'];

const STYLE = `
text{font:12px system-ui,sans-serif;fill:#1f2328}
.quiet{fill:#59636e}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}}`;

/** The chart as an SVG file, without a background, so that light and dark pages show through. */
export function drawBars({ heading, groups }: BarChart): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const scale = (RIGHT - LEFT) / longest;
  const colourOf = (name: string): string => COLOURS[series.indexOf(name) % COLOURS.length] ?? 'gray';
  let y = TOP;
  const drawn = groups.flatMap((group) => {
    const lines = drawGroup(group, y, scale, colourOf);
    y += group.bars.length * BAR + GAP;
    return lines;
  });
  const title = textElement(heading, 0, 0).replace(/<[^>]*>/g, '');
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${y + 4}`, role: 'img' };
  return `${element('svg', attributes, [
    '<!-- Made by the part publish of `npm run bench` from recorded runs. -->',
    element('title', {}, [title]),
    element('style', {}, [STYLE]),
    textElement(`Tokens a second, ${heading}`, 8, 20, { 'font-weight': 'bold' }),
    ...legend(series, colourOf),
    ...drawn,
    textElement('longer is faster; llama.cpp has the same length everywhere', WIDTH - 8, 44, {
      class: 'quiet',
      'text-anchor': 'end',
    }),
  ])}\n`;
}

function drawGroup(
  { title, measure, bars }: BarGroup,
  top: number,
  scale: number,
  colourOf: (name: string) => string,
): string[] {
  const middle = top + (bars.length * BAR) / 2;
  return [
    textElement(title, LEFT - 12, middle - 3, { 'text-anchor': 'end' }),
    textElement(measure, LEFT - 12, middle + 12, { class: 'quiet', 'text-anchor': 'end' }),
    ...bars.flatMap(({ series, tokensPerSecond, ratio }, i) => {
      const y = top + i * BAR;
      const rate = Number(tokensPerSecond.toPrecision(3)).toLocaleString('en-US');
      return [
        element('rect', { x: LEFT, y, width: ratio * scale, height: BAR - 2, fill: colourOf(series), rx: 1.5 }),
        textElement(rate, LEFT + ratio * scale + 6, y + BAR - 3, i === 0 ? {} : { class: 'quiet' }),
      ];
    }),
  ];
}

function legend(series: readonly string[], colourOf: (name: string) => string): string[] {
  return series.flatMap((name, i) => [
    element('rect', { x: 8 + i * 130, y: 35, width: 11, height: 11, fill: colourOf(name), rx: 1.5 }),
    textElement(name, 25 + i * 130, 45),
  ]);
}

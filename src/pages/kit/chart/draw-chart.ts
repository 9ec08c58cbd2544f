import uPlot from 'uplot';
import type { ChartScale } from './chart-scale.js';
import { highestStack, lonePoints, stackBars } from './stack-bars.js';

/** One row of values of a chart. */
export interface ChartSeries {
  readonly label: string;
  /** One of the chart colours. 4 means failures, 5 neutral values. */
  readonly color: 1 | 2 | 3 | 4 | 5;
  /** Bars of one chart are stacked, the first at the bottom. */
  readonly kind: 'bars' | 'line' | 'area';
  /** One value for each time; null: no value. */
  readonly values: readonly (number | null)[];
  /** The legend's value while the pointer is on no value: a sum, or a value of the whole time range. */
  readonly sum?: number | null;
}

/** The values of a chart. */
export interface ChartValues {
  /** The starts of the steps, in seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
}

/** The inputs and callbacks of a drawing. */
export interface Drawing extends ChartValues {
  readonly width: number;
  readonly height: number;
  /** The time step of a value in seconds. */
  readonly stepS: number;
  readonly scale: ChartScale;
  readonly nameTime: (ms: number) => string;
  /** Labels the days of an axis. */
  readonly nameDay: (ms: number) => string;
  /** Called with the index of the value under the pointer; undefined: none. */
  readonly onCursor: (index: number | undefined) => void;
  readonly onRange?: (fromMs: number, toMs: number) => void;
}

/** A drawn chart. */
export interface DrawnChart {
  resize(width: number, height: number): void;
  /** Sets new values of series with the same names and kinds. */
  update(values: ChartValues): void;
  destroy(): void;
}

const DAY_S = 86_400;
/** Least distances between axis labels, in pixels. */
const [X_SPACE, Y_SPACE] = [80, 36];
/** The least width of the value axis, and the width of a letter of its labels, in pixels. */
const [Y_SIZE, LETTER] = [48, 6.5];
/** A narrower selection counts as a click. */
const MIN_MARK = 8;
/** Size of the point for an isolated value, in pixels. */
const POINT = 6;
/** Distances between marks of the time axis, in seconds. From a month on, marks are at the first of a month. */
const TIME_STEPS = [
  60,
  300,
  600,
  900,
  1_800,
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600),
  ...[1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 120, 180, 365, 730].map((days) => days * DAY_S),
];

/**
 * Draws a chart into `place` in the colours of the page. Each value is in the middle of its step, even the last one.
 */
export function drawChart(place: HTMLElement, drawing: Drawing): DrawnChart {
  const { width, height, stepS, scale, nameTime, nameDay, onCursor, onRange } = drawing;
  let now: ChartValues = drawing;
  const color = colorsOf(place);
  const axis = { stroke: color('--muted'), font: `11px ${getComputedStyle(place).fontFamily}`, ticks: { show: false } };
  const grid = { stroke: color('--line'), width: 1 };
  const isDays = stepS >= DAY_S;
  const options: uPlot.Options = {
    width,
    height,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    // Days are UTC days.
    tzDate: (timeS) => (isDays ? uPlot.tzDate(new Date(timeS * 1_000), 'Etc/UTC') : new Date(timeS * 1_000)),
    cursor: {
      y: false,
      points: { size: POINT },
      drag: { x: onRange !== undefined, y: false, setScale: false },
    },
    scales: {
      x: { time: true, range: () => [now.times[0] ?? 0, (now.times.at(-1) ?? 0) + stepS] },
      y: { range: () => [0, topOf(now.series) * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: X_SPACE,
        size: 28,
        incrs: TIME_STEPS.filter((step) => step >= stepS),
        values: (_, splits, __, ___, step) => nameSplits(splits, isDays || step >= DAY_S, nameTime, nameDay),
      },
      {
        ...axis,
        grid,
        space: Y_SPACE,
        // An axis is as wide as its longest label.
        size: (_, names: readonly string[] | null) =>
          (names ?? []).reduce((widest, { length }) => Math.max(widest, 14 + length * LETTER), Y_SIZE),
        incrs: [...scale.steps],
        values: (_, splits) => splits.map(scale.format),
      },
    ],
    series: [{}, ...drawing.series.map((each, i) => toSeries(each, i, color, stepS, () => now.series))],
    hooks: {
      setCursor: [(chart) => onCursor(chart.cursor.idx ?? undefined)],
      setSelect: [
        (chart) => {
          const { left, width: marked } = chart.select;
          if (marked >= MIN_MARK) {
            const at = (x: number): number => Math.round(chart.posToVal(x, 'x') * 1_000);
            onRange?.(at(left), at(left + marked));
          }
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
  const chart = new uPlot(options, toData(now, stepS), place);
  return {
    resize: (nextWidth, nextHeight) => chart.setSize({ width: nextWidth, height: nextHeight }),
    update(values) {
      now = values;
      chart.setData(toData(values, stepS));
    },
    destroy: () => chart.destroy(),
  };
}

function toData({ times, series }: ChartValues, stepS: number): uPlot.AlignedData {
  return [times.map((time) => time + stepS / 2), ...series.map(({ values }) => [...values])];
}

/** The highest drawn value. */
function topOf(series: readonly ChartSeries[]): number {
  const lines = series.filter(({ kind }) => kind !== 'bars').flatMap(({ values }) => values);
  return lines.reduce<number>((top, value) => Math.max(top, value ?? 0), highestStack(barRows(series)));
}

function barRows(series: readonly ChartSeries[]): readonly (readonly (number | null)[])[] {
  return series.filter(({ kind }) => kind === 'bars').map(({ values }) => values);
}

/** Labels of the time axis. Among hours, midnight has the label of its day. */
function nameSplits(
  splits: readonly number[],
  isDays: boolean,
  nameTime: (ms: number) => string,
  nameDay: (ms: number) => string,
): string[] {
  return splits.map((split) => {
    const ms = split * 1_000;
    const date = new Date(ms);
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
    return isDays || (isMidnight && splits.length > 1) ? nameDay(ms) : nameTime(ms);
  });
}

/**
 * Reads colours of CSS variables. A variable may choose between two colours, so the result is an element's computed
 * colour.
 */
function colorsOf(place: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function toSeries(
  { label, color: number, kind }: ChartSeries,
  index: number,
  color: (name: string) => string,
  stepS: number,
  seriesNow: () => readonly ChartSeries[],
): uPlot.Series {
  const stroke = color(`--chart-${number}`);
  const fill = color(`--chart-${number}-soft`);
  if (kind === 'bars') {
    const paths = barsOf(index, stepS, seriesNow);
    // The legend shows the value under the pointer, so a bar gets no point.
    return { label, class: 'no-point', stroke, fill: stroke, width: 0, points: { show: false }, paths };
  }
  const filter: uPlot.Series.Points.Filter = (_, i) => lonePoints(seriesNow()[i - 1]?.values ?? []);
  return {
    label,
    stroke,
    width: 1.5,
    // If two series have the same value, a ring of the first surrounds the point of the second.
    points: { show: false, size: POINT + 4 * (seriesNow().length - 1 - index), fill: stroke, width: 0, filter },
    ...(kind === 'area' && { fill }),
  };
}

/** Stacks the bars of a series on those of the previous series. */
function barsOf(index: number, stepS: number, seriesNow: () => readonly ChartSeries[]): uPlot.Series.PathBuilder {
  return (chart) => {
    const series = seriesNow();
    const row = series.slice(0, index).filter(({ kind }) => kind === 'bars').length;
    const [times = []] = chart.data;
    const x = (time: number): number => chart.valToPos(time, 'x', true);
    const bottom = chart.valToPos(0, 'y', true);
    const fill = new Path2D();
    const boxes = stackBars(barRows(series), row, {
      middle: (i) => x(times[i] ?? 0),
      stepWidth: x((times[0] ?? 0) + stepS) - x(times[0] ?? 0),
      heightOf: (value) => bottom - chart.valToPos(value, 'y', true),
      ratio: uPlot.pxRatio,
    });
    for (const box of boxes) fill.rect(box.left, bottom - box.bottom - box.height, box.width, box.height);
    return { fill, stroke: null, flags: 0 };
  };
}

import uPlot from 'uplot';

/** One row of values of a chart. */
export interface ChartSeries {
  readonly label: string;
  /** Of the colours for charts. 4 is that of failures. */
  readonly color: 1 | 2 | 3 | 4;
  readonly kind: 'bars' | 'line' | 'area';
  /** One for each time; null: there is none. */
  readonly values: readonly (number | null)[];
  /** What the legend says while no value is pointed at: a sum, or a value of the whole time. */
  readonly sum?: number | null;
}

/** What is drawn, and what is told of it. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly isDays: boolean;
  readonly format: (value: number) => string;
  readonly nameTime: (ms: number) => string;
  readonly nameDay: (ms: number) => string;
  /** Which value is pointed at; undefined: none. */
  readonly onCursor: (index: number | undefined) => void;
  readonly onRange?: (fromMs: number, toMs: number) => void;
}

const DAY_S = 86_400;
/** Between two names of an axis, in pixels. */
const [X_SPACE, Y_SPACE] = [80, 36];
/** Narrower than this a marking was a click. */
const MIN_MARK = 8;

/** Draws a chart into `place` in the colours of the page. */
export function drawChart(place: HTMLElement, drawing: Drawing): uPlot {
  const { width, height, times, series, format, nameTime, nameDay, isDays, onCursor, onRange } = drawing;
  const color = colorsOf(place);
  const axis = { stroke: color('--muted'), font: `11px ${getComputedStyle(place).fontFamily}`, ticks: { show: false } };
  const grid = { stroke: color('--line'), width: 1 };
  const options: uPlot.Options = {
    width,
    height,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: onRange !== undefined, y: false, setScale: false },
    },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: X_SPACE,
        size: 28,
        values: (_, splits, __, ___, step) =>
          splits.map((split) => (isDays || step >= DAY_S ? nameDay : nameTime)(split * 1_000)),
      },
      { ...axis, grid, space: Y_SPACE, size: 56, values: (_, splits) => splits.map(format) },
    ],
    series: [{}, ...series.map((each) => toSeries(each, color))],
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
  return new uPlot(options, [[...times], ...series.map(({ values }) => [...values])], place);
}

/** The colours that variables have here. A variable itself may be a choice between two: a colour of an element is what it became. */
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

function toSeries({ label, color: number, kind }: ChartSeries, color: (name: string) => string): uPlot.Series {
  const stroke = color(`--chart-${number}`);
  const fill = color(`--chart-${number}-soft`);
  if (kind === 'bars') {
    return { label, stroke, fill: stroke, width: 0, points: { show: false }, paths: bars() };
  }
  return { label, stroke, width: 1.5, points: { show: false }, ...(kind === 'area' && { fill }) };
}

function bars(): uPlot.Series.PathBuilder {
  const { bars: build } = uPlot.paths;
  if (build === undefined) throw new Error('this build of uPlot draws no bars');
  return build({ size: [0.8, 40], align: 1, radius: 0.15 });
}

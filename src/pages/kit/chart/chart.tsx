import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useKit } from '../page/kit.js';
import { useSize } from '../page/use-size.js';
import type { ChartScale } from './chart-scale.js';
import { ChartTable } from './chart-table.js';
import { drawChart, type ChartValues, type DrawnChart } from './draw-chart.js';
import { useAppearance } from './use-appearance.js';

/** The properties of a chart. */
export interface ChartProps extends ChartValues {
  readonly title: string;
  /** The time step of a value in seconds. Days are UTC days, labelled by date. */
  readonly stepS: number;
  readonly scale: ChartScale;
  /** In pixels. */
  readonly height?: number;
  /** The text while all values are zero or missing. */
  readonly empty?: string;
  /** Called with a selected time range in milliseconds since 1970. Absent: selection is off. */
  readonly onRange?: (fromMs: number, toMs: number) => void;
  readonly actions?: ComponentChildren;
}

const HEIGHT = 200;
const DAY_S = 86_400;

/** Values over time, with the same values as a table for users who cannot see the chart. */
export function Chart(props: ChartProps): VNode {
  const { title, times, series, scale, stepS, height = HEIGHT, empty = 'Nothing in this time.', onRange } = props;
  const { formats } = useKit();
  const place = useRef<HTMLDivElement>(null);
  const { width } = useSize(place);
  const drawn = useRef<DrawnChart | undefined>(undefined);
  const [at, setAt] = useState<number>();
  const appearance = useAppearance();
  const id = useId();
  const isDays = stepS >= DAY_S;
  // The axes and the selection call the latest functions without drawing anew.
  const ways = useRef({ scale, onRange });
  ways.current = { scale, onRange };
  const shape = series.map(({ label, color, kind }) => `${label}:${color}:${kind}`).join('|');

  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const chart = drawChart(place.current, {
      width,
      height,
      times,
      series,
      stepS,
      scale: { steps: scale.steps, format: (value) => ways.current.scale.format(value) },
      nameTime: formats.time,
      nameDay: isDays ? formats.utcDay : formats.day,
      onCursor: setAt,
      ...(onRange !== undefined && { onRange: (from: number, to: number) => ways.current.onRange?.(from, to) }),
    });
    drawn.current = chart;
    return () => {
      drawn.current = undefined;
      chart.destroy();
    };
  }, [shape, appearance, width === 0, stepS, height]);
  useEffect(() => drawn.current?.resize(width, height), [width]);
  useEffect(() => drawn.current?.update({ times, series }), [times, series]);

  const nameStep = (ms: number): string => (isDays ? formats.utcDate(ms) : formats.dateTime(ms));
  const shown = at !== undefined && at < times.length ? at : undefined;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption class="chart-head">
        <span id={id} class="chart-title">
          {title}
        </span>
        <span class="chart-legend">
          {series.map(({ label, color, values, sum }) => {
            const value = shown === undefined ? sum : values[shown];
            return (
              <span key={label} class={`legend-${color}`}>
                {label} <b>{value === null || value === undefined ? '–' : scale.format(value)}</b>
              </span>
            );
          })}
          <span class="muted">{shown === undefined ? '' : nameStep((times[shown] ?? 0) * 1_000)}</span>
        </span>
        {props.actions}
      </figcaption>
      <div class="chart-frame">
        <div ref={place} class="chart-place" style={{ blockSize: `${height}px` }} aria-hidden="true" />
        {isEmpty && <p class="chart-empty">{empty}</p>}
      </div>
      <ChartTable title={title} times={times} series={series} format={scale.format} nameTime={nameStep} />
    </figure>
  );
}

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { useKit } from '../page/kit.js';
import { useSize } from '../page/use-size.js';
import { drawChart, type ChartSeries } from './draw-chart.js';

/** What a chart shows. */
export interface ChartProps {
  readonly title: string;
  /** Seconds since 1970, ascending: where each value stands. */
  readonly times: readonly number[];
  /** How long one value is, in seconds: days are named by their date. */
  readonly stepS: number;
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** In pixels. */
  readonly height?: number;
  /** A part of the time was marked; in milliseconds since 1970. Absent: none can be. */
  readonly onRange?: (fromMs: number, toMs: number) => void;
  readonly actions?: ComponentChildren;
}

const HEIGHT = 200;
const DAY_S = 86_400;

/** Values over time, with the same values as a table for those who do not see it. */
export function Chart(props: ChartProps): VNode {
  const { title, times, series, format, stepS, height = HEIGHT, onRange, actions } = props;
  const { formats } = useKit();
  const place = useRef<HTMLDivElement>(null);
  const { width } = useSize(place);
  const drawn = useRef<uPlot | undefined>(undefined);
  const [at, setAt] = useState<number>();
  const appearance = useAppearance();
  const id = useId();
  const nameTime = stepS >= DAY_S ? formats.day : formats.time;
  // What the axes and the marking call: the latest, without drawing anew.
  const ways = useRef({ format, nameTime, onRange });
  ways.current = { format, nameTime, onRange };
  const shape = series.map(({ label, color, kind }) => `${label}:${color}:${kind}`).join('|');

  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const chart = drawChart(place.current, {
      width,
      height,
      times,
      series,
      isDays: stepS >= DAY_S,
      format: (value) => ways.current.format(value),
      nameTime: (ms) => ways.current.nameTime(ms),
      nameDay: formats.day,
      onCursor: setAt,
      ...(onRange !== undefined && { onRange: (from: number, to: number) => ways.current.onRange?.(from, to) }),
    });
    drawn.current = chart;
    return () => {
      drawn.current = undefined;
      chart.destroy();
    };
  }, [shape, appearance, width === 0, stepS, height]);
  useEffect(() => drawn.current?.setSize({ width, height }), [width]);
  useEffect(() => drawn.current?.setData([[...times], ...series.map(({ values }) => [...values])]), [times, series]);

  const shown = at !== undefined && at < times.length ? at : undefined;
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
                {label} <b>{value === null || value === undefined ? '–' : format(value)}</b>
              </span>
            );
          })}
          <span class="muted">
            {shown === undefined ? '' : momentOf(times[shown] ?? 0, stepS, formats.dateTime, formats.date)}
          </span>
        </span>
        {actions}
      </figcaption>
      <div ref={place} class="chart-place" style={{ blockSize: `${height}px` }} aria-hidden="true" />
      <Values {...props} nameTime={(ms) => momentOf(ms / 1_000, stepS, formats.dateTime, formats.date)} />
    </figure>
  );
}

/** The values as a table. It is made when it is opened. */
function Values(props: ChartProps & { readonly nameTime: (ms: number) => string }): VNode {
  const { title, times, series, format, nameTime } = props;
  const [isOpen, setOpen] = useState(false);
  const rows = useMemo(
    () =>
      isOpen ? times.flatMap((time, i) => (series.some(({ values }) => values[i]) ? [[time, i] as const] : [])) : [],
    [isOpen, times, series],
  );
  return (
    <details class="chart-values" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Values</summary>
      {isOpen && (
        <div class="scroll-y" role="region" aria-label={`${title}: values`} tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="end">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([time, i]) => (
                <tr key={time}>
                  <th scope="row">{nameTime(time * 1_000)}</th>
                  {series.map(({ label, values }) => (
                    <td key={label} class="end">
                      {toText(values[i], format)}
                    </td>
                  ))}
                </tr>
              ))}
              {rows.length === 0 && (
                <tr>
                  <td colSpan={series.length + 1}>All values are zero or missing.</td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function toText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function momentOf(
  timeS: number,
  stepS: number,
  dateTime: (at: number) => string,
  date: (at: number) => string,
): string {
  return stepS >= DAY_S ? date(timeS * 1_000) : dateTime(timeS * 1_000);
}

/** Changes with the appearance of the page, whose colours a canvas does not follow by itself. */
function useAppearance(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const change = (): void => setTurn((before) => before + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', change);
    return () => {
      observer.disconnect();
      media.removeEventListener('change', change);
    };
  }, []);
  return turn;
}

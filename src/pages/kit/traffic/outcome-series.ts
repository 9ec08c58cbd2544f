import type { ChartSeries } from '../chart/draw-chart.js';
import { OUTCOMES } from '../../../words/index.js';
import type { TrafficPoint, TrafficTotals } from '../../data/index.js';

/** The colours of request outcomes, by their names in the API. */
const COLORS = [
  ['answered', 1],
  ['refused', 3],
  ['failed', 4],
  ['aborted', 5],
] as const;

/** Requests by outcome, as stacked bars. Durations are those of answered requests. */
export function outcomeSeries(points: readonly TrafficPoint[], total: TrafficTotals): readonly ChartSeries[] {
  return COLORS.map(([name, color]) => ({
    label: OUTCOMES[name],
    color,
    kind: 'bars',
    values: points.map((point) => point[name]),
    sum: total[name],
  }));
}

/** The median and the 95th percentile of the duration of answered requests, in milliseconds. */
export function percentileSeries(
  points: readonly TrafficPoint[],
  total: TrafficTotals,
  what: 'first_byte' | 'duration',
): readonly ChartSeries[] {
  const [half, most] = [`${what}_p50_ms`, `${what}_p95_ms`] as const;
  return [
    {
      label: 'Half within (p50)',
      color: 2,
      kind: 'area',
      values: points.map((point) => point[half]),
      sum: total[half],
    },
    { label: '95% within (p95)', color: 3, kind: 'line', values: points.map((point) => point[most]), sum: total[most] },
  ];
}

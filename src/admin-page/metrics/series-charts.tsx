import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { Card, Chart, Stat, useKit, type ChartSeries } from '../../page-kit/index.js';
import type { Point, Series } from '../api/metrics-answers.js';

const STEP_S = { minute: 60, hour: 3_600, day: 86_400 } as const;
const COLORS = [1, 2, 3, 4] as const;

/** The charts of a time. Of a key there are neither errors nor times. */
export function SeriesCharts(props: {
  readonly series: Series;
  readonly isKey: boolean;
  readonly onRange: (fromMs: number, toMs: number) => void;
}): VNode {
  const { series, isKey, onRange } = props;
  const { formats } = useKit();
  const { points, total, step } = series;
  const times = useMemo(() => points.map(({ start }) => Date.parse(start) / 1_000), [series]);
  const rows = useMemo(() => toRows(series, isKey), [series, isKey]);
  const common = { times, stepS: STEP_S[step], onRange };
  const ms = (value: number | null): string => (value === null ? '–' : formats.duration(value));
  return (
    <>
      <dl class="stats" aria-label="In the whole time">
        <Stat
          label="Requests"
          value={formats.compact(total.requests)}
          hint={`${formats.count(total.errors)} failed, ${formats.count(total.aborted)} left`}
        />
        <Stat
          label="Prompt tokens"
          value={formats.compact(total.prompt_tokens)}
          hint={`${formats.compact(total.cached_tokens)} from the cache`}
        />
        <Stat
          label="Completion tokens"
          value={formats.compact(total.completion_tokens)}
          hint={`${formats.compact(total.reasoning_tokens)} of thinking`}
        />
        <Stat
          label="First token, p50"
          value={ms(total.first_byte_p50_ms)}
          hint={`p95 ${ms(total.first_byte_p95_ms)}`}
        />
        <Stat label="Duration, p50" value={ms(total.duration_p50_ms)} hint={`p95 ${ms(total.duration_p95_ms)}`} />
      </dl>
      <div class="cards charts">
        <Card title="Requests">
          <Chart {...common} title="Requests and errors" series={rows.requests} format={formats.compact} />
        </Card>
        <Card title="Tokens">
          <Chart {...common} title="Tokens in and out" series={rows.tokens} format={formats.compact} />
        </Card>
        {!isKey && (
          <>
            <Card title="First token">
              <Chart {...common} title="Time to the first token" series={rows.firstByte} format={formats.duration} />
            </Card>
            <Card title="Duration">
              <Chart {...common} title="Duration of requests" series={rows.duration} format={formats.duration} />
            </Card>
          </>
        )}
        {rows.spend.map(({ currency, values, sum }) => (
          <Card key={currency} title={`Spend in ${currency}`}>
            <Chart
              {...common}
              title={`Spend, ${currency}`}
              series={[{ label: currency, color: 3, kind: 'bars', values, sum }]}
              format={(value) => formats.money(value.toFixed(6), currency)}
            />
          </Card>
        ))}
      </div>
    </>
  );
}

function toRows({ points, total, spend }: Series, isKey: boolean) {
  const of = (read: (point: Point) => number | null): (number | null)[] => points.map(read);
  const requests: ChartSeries[] = [
    { label: 'Requests', color: 1, kind: 'bars', values: of(({ requests: value }) => value), sum: total.requests },
  ];
  if (!isKey) {
    requests.push({ label: 'Errors', color: 4, kind: 'bars', values: of(({ errors }) => errors), sum: total.errors });
  }
  const tokens: ChartSeries[] = [
    {
      label: 'Prompt',
      color: 1,
      kind: 'area',
      values: of(({ prompt_tokens: value }) => value),
      sum: total.prompt_tokens,
    },
    {
      label: 'Completion',
      color: 2,
      kind: 'line',
      values: of(({ completion_tokens: value }) => value),
      sum: total.completion_tokens,
    },
  ];
  const firstByte = percentiles(
    of(({ first_byte_p50_ms: value }) => value),
    of(({ first_byte_p95_ms: value }) => value),
    [total.first_byte_p50_ms, total.first_byte_p95_ms],
  );
  const duration = percentiles(
    of(({ duration_p50_ms: value }) => value),
    of(({ duration_p95_ms: value }) => value),
    [total.duration_p50_ms, total.duration_p95_ms],
  );
  const currencies = [...new Set(spend.map(({ currency }) => currency))].slice(0, COLORS.length);
  const starts = new Map(points.map(({ start }, i) => [start, i]));
  const money = currencies.map((currency) => {
    const values = Array.from<number>({ length: points.length }).fill(0);
    let sum = 0;
    for (const each of spend) {
      const at = starts.get(each.start);
      if (each.currency !== currency || at === undefined) continue;
      values[at] = (values[at] ?? 0) + Number(each.amount);
      sum += Number(each.amount);
    }
    return { currency, values, sum };
  });
  return { requests, tokens, firstByte, duration, spend: money };
}

function percentiles(
  middle: (number | null)[],
  high: (number | null)[],
  [middleOfAll, highOfAll]: readonly [number | null, number | null],
): readonly ChartSeries[] {
  return [
    { label: 'p50', color: 2, kind: 'area', values: middle, sum: middleOfAll },
    { label: 'p95', color: 3, kind: 'line', values: high, sum: highOfAll },
  ];
}

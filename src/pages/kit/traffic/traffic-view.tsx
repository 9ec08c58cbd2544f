import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Formats, TrafficSeries, TrafficTotals } from '../../data/index.js';
import { countScale, durationScale, moneyScale } from '../chart/chart-scale.js';
import { Chart } from '../chart/chart.js';
import type { ChartSeries } from '../chart/draw-chart.js';
import { useKit } from '../page/kit.js';
import { Card } from '../views/card.js';
import { Stat } from '../views/stat.js';
import { Note } from '../views/states.js';
import { outcomeSeries, percentileSeries } from './outcome-series.js';

const STEP_S = { minute: 60, hour: 3_600, day: 86_400 } as const;
const STEPS = { minute: 'minute', hour: 'hour', day: 'day (UTC)' } as const;
/** The most charts of money. */
const MAX_CURRENCIES = 4;
const OUTCOMES_HELP =
  'Refused: the answer has a status from 400 to 498. Failed: a status from 500 on, or the answer broke off.';

/** Charts of requests over time: number, outcome, duration and cost. */
export function TrafficView(props: {
  readonly series: TrafficSeries;
  /** Called with a selected time range in milliseconds since 1970. */
  readonly onRange: (fromMs: number, toMs: number) => void;
}): VNode {
  const { series, onRange } = props;
  return (
    <>
      {!series.complete && (
        <Note tone="warn">
          Older requests are still being added up: the beginning of a long range may have fewer than there were.
        </Note>
      )}
      <p class="muted">
        A value for each {STEPS[series.step]}. Mark a part of a chart to look closer. {OUTCOMES_HELP}
      </p>
      <TrafficCharts series={series} onRange={onRange} />
    </>
  );
}

function TrafficCharts(props: {
  readonly series: TrafficSeries;
  readonly onRange: (fromMs: number, toMs: number) => void;
}): VNode {
  const { series, onRange } = props;
  const { formats } = useKit();
  const { points, total, step } = series;
  const times = useMemo(() => points.map(({ start }) => Date.parse(start) / 1_000), [series]);
  const rows = useMemo(() => toRows(series), [series]);
  const common = { times, stepS: STEP_S[step], onRange };
  const [counts, durations] = useMemo(() => [countScale(formats), durationScale(formats)] as const, [formats]);
  const ms = (value: number | null): string => (value === null ? '–' : formats.duration(value));
  return (
    <>
      <dl class="stats" aria-label="In the whole time">
        <Stat label="Requests" value={formats.compact(total.requests)} hint={outcomeWords(total, formats)} />
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
          label="First token, half within"
          value={ms(total.first_byte_p50_ms)}
          hint={`95% within ${ms(total.first_byte_p95_ms)}`}
        />
        <Stat
          label="Duration, half within"
          value={ms(total.duration_p50_ms)}
          hint={`95% within ${ms(total.duration_p95_ms)}`}
        />
        {rows.spend.map(({ currency, sum }) => (
          <Stat key={currency} label={`Cost in ${currency}`} value={moneyScale(formats, currency).format(sum)} />
        ))}
      </dl>
      <div class="cards charts">
        <Card title="Requests">
          <Chart {...common} title="Requests by how they ended" series={rows.requests} scale={counts} />
        </Card>
        <Card title="Tokens">
          <Chart {...common} title="Tokens in and out" series={rows.tokens} scale={counts} />
        </Card>
        <Card title="First token of answered requests">
          <Chart {...common} title="Time to the first token" series={rows.firstByte} scale={durations} />
        </Card>
        <Card title="Duration of answered requests">
          <Chart {...common} title="Duration of answered requests" series={rows.duration} scale={durations} />
        </Card>
        {rows.spend.map(({ currency, values, sum }) => (
          <Card key={currency} title={`Cost in ${currency}`}>
            <Chart
              {...common}
              title={`Cost, ${currency}`}
              series={[{ label: currency, color: 3, kind: 'bars', values, sum }]}
              scale={moneyScale(formats, currency)}
            />
          </Card>
        ))}
      </div>
    </>
  );
}

/** The numbers of requests that ended without an answer, as a text. */
function outcomeWords({ refused, failed, aborted }: TrafficTotals, formats: Formats): string {
  return `${formats.compact(refused)} refused, ${formats.compact(failed)} failed, ${formats.compact(aborted)} left by clients`;
}

function toRows({ points, total, spend }: TrafficSeries) {
  const tokens: readonly ChartSeries[] = [
    {
      label: 'Prompt',
      color: 1,
      kind: 'bars',
      values: points.map((point) => point.prompt_tokens),
      sum: total.prompt_tokens,
    },
    {
      label: 'Completion',
      color: 2,
      kind: 'bars',
      values: points.map((point) => point.completion_tokens),
      sum: total.completion_tokens,
    },
  ];
  const currencies = [...new Set(spend.map(({ currency }) => currency))].slice(0, MAX_CURRENCIES);
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
  return {
    requests: outcomeSeries(points, total),
    tokens,
    firstByte: percentileSeries(points, total, 'first_byte'),
    duration: percentileSeries(points, total, 'duration'),
    spend: money,
  };
}

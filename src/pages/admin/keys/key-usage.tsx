import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { Chart, countScale, Facts, LoadedView, useKit, useLoad } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { TrafficSeries } from '../../data/index.js';
import type { Key } from '../api/key-answers.js';

/** The number of days in the chart. */
const DAYS = 30;
const DAY_MS = 86_400_000;
const DAY_S = 86_400;

/** Usage of a key: today, this month, in total, and by day. */
export function KeyUsage({ id, used }: { readonly id: string; readonly used: Key['used'] }): VNode {
  const { api } = useAdmin();
  const { clock, formats } = useKit();
  const from = useMemo(() => new Date(clock.unixMs() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10), [id]);
  const series = useLoad((call) => api.metrics({ from, key_id: id }, call), [id]);
  return (
    <section class="form" aria-label="Use">
      <Facts
        facts={[
          ['Tokens today', formats.count(used.day_tokens)],
          ['This month', formats.count(used.month_tokens)],
          ['In total', formats.count(used.total_tokens)],
        ]}
      />
      <LoadedView loaded={series} lines={3}>
        {(value) => <Days series={value} />}
      </LoadedView>
    </section>
  );
}

function Days({ series: { points } }: { readonly series: TrafficSeries }): VNode {
  const { formats } = useKit();
  const times = useMemo(() => points.map(({ start }) => Date.parse(start) / 1_000), [points]);
  const series = useMemo(() => {
    const prompt = points.map(({ prompt_tokens: tokens }) => tokens);
    const completion = points.map(({ completion_tokens: tokens }) => tokens);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    return [
      { label: 'Prompt tokens', color: 1, kind: 'bars', values: prompt, sum: sum(prompt) },
      { label: 'Completion tokens', color: 2, kind: 'bars', values: completion, sum: sum(completion) },
    ] as const;
  }, [points]);
  return <Chart title="By day" times={times} stepS={DAY_S} scale={countScale(formats)} series={series} height={140} />;
}

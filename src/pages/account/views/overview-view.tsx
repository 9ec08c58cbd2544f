import type { VNode } from 'preact';
import {
  Card,
  DataTable,
  Empty,
  LoadedView,
  Stat,
  TrafficToolbar,
  TrafficView,
  useKit,
  useLoad,
  useTraffic,
  useTrafficTime,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAccount } from '../account-page.js';
import type { UsageRow } from '../api/account-api.js';

/** Refresh interval in milliseconds. */
const EVERY_MS = 30_000;

/** The balance of the account, its requests over time, and its usage in the last thirty days. */
export function OverviewView(): VNode {
  const { api } = useAccount();
  const { formats } = useKit();
  const balance = useLoad(({ signal }) => api.balance(signal), [], EVERY_MS);
  const days = useLoad(({ signal }) => api.usage('day', signal), [], EVERY_MS);
  const models = useLoad(({ signal }) => api.usage('provider,model', signal), [], EVERY_MS);
  const time = useTrafficTime();
  const traffic = useTraffic(time, [], ({ from, to }, { signal }) => api.traffic({ from, to }, signal));
  const currency = balance.value?.currency ?? 'USD';
  const counts: readonly Column<UsageRow>[] = [
    {
      id: 'cost',
      title: LABELS.cost,
      width: 8.5,
      narrow: 6,
      align: 'end',
      cell: (row) => formats.money(row.cost, currency),
    },
    {
      id: 'requests',
      title: LABELS.requests,
      width: 6,
      narrow: 6,
      align: 'end',
      cell: (row) => formats.count(row.requests),
    },
    { id: 'prompt', title: LABELS.prompt, width: 6, align: 'end', cell: (row) => formats.compact(row.prompt_tokens) },
    {
      id: 'completion',
      title: LABELS.completion,
      width: 7,
      align: 'end',
      cell: (row) => formats.compact(row.completion_tokens),
    },
    { id: 'cached', title: LABELS.cached, width: 6, align: 'end', cell: (row) => formats.compact(row.cached_tokens) },
    {
      id: 'written',
      title: LABELS.cacheWrites,
      width: 7,
      align: 'end',
      cell: (row) => formats.compact(row.cache_write_tokens),
    },
  ];
  const empty = <Empty icon="requests" title="Nothing was used in the last thirty days" />;
  return (
    <div class="measure">
      <LoadedView loaded={balance}>
        {({ available, held }) => (
          <dl class="stats" aria-label="Balance">
            <Stat label="Available" value={formats.money(available, currency)} hint="what requests may still use" />
            <Stat label="Reserved" value={formats.money(held, currency)} hint="by requests under way" />
          </dl>
        )}
      </LoadedView>
      <TrafficToolbar time={time} hasMinutes={false} />
      <LoadedView loaded={traffic} lines={12}>
        {(value) => <TrafficView series={value} onRange={time.onRange} />}
      </LoadedView>
      <Card title="By model, last thirty days">
        <DataTable
          label="Usage by model"
          state={wholeRows(models, ({ data }) => data)}
          columns={[
            { id: 'model', title: LABELS.model, width: 12, narrow: 9, cell: ({ model }) => model ?? '' },
            ...counts,
            { id: 'provider', title: LABELS.provider, width: 9, cell: ({ provider }) => <code>{provider}</code> },
          ]}
          keyOf={({ provider, model }) => `${provider} ${model}`}
          onReload={models.reload}
          empty={empty}
        />
      </Card>
      <Card title="By day, in UTC">
        <DataTable
          label="Usage by day"
          state={wholeRows(days, ({ data }) => data.toReversed())}
          columns={[{ id: 'day', title: LABELS.day, width: 10, narrow: 8, cell: ({ day }) => day ?? '' }, ...counts]}
          keyOf={({ day }) => day ?? ''}
          onReload={days.reload}
          empty={empty}
        />
      </Card>
    </div>
  );
}

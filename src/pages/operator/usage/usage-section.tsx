import type { VNode } from 'preact';
import {
  Bar,
  Card,
  Chart,
  Choice,
  countScale,
  LoadedView,
  moneyScale,
  Stat,
  useKit,
  useLoad,
  useStore,
} from '../../kit/index.js';
import type { Formats } from '../../data/index.js';
import { plural } from '../../../words/index.js';
import type { UsageReport, UsageRow } from '../api/operator-api.js';
import { useOperator } from '../operator.js';
import { toDays } from './to-days.js';

const DAY_MS = 86_400_000;
/** How often it is read again, in milliseconds. */
const LOOK_MS = 30_000;
const RANGES = [
  ['7', '7 d'],
  ['30', '30 d'],
  ['90', '90 d'],
  ['365', '1 y'],
] as const;
const PARTS = [
  ['account', 'By account'],
  ['model', 'By model'],
  ['provider', 'By provider'],
] as const;
/** Bars of one card. */
const MAX_BARS = 12;

/** Usage of accounts: by day, and by account, model and provider. */
export function UsageSection(): VNode {
  const { router, clock } = useKit();
  const { range = '30' } = useStore(router).query;
  const chosen = RANGES.find(([days]) => days === range)?.[0] ?? '30';
  const from = new Date(clock.unixMs() - (Number(chosen) - 1) * DAY_MS).toISOString().slice(0, 10);
  return (
    <div class="measure">
      <div class="toolbar">
        <Choice
          name="Range"
          isNameHidden
          values={RANGES}
          chosen={chosen}
          onChoose={(days) => router.setQuery({ range: days })}
        />
      </div>
      <Days from={from} />
      <div class="cards">
        {PARTS.map(([by, title]) => (
          <Parts key={by} by={by} title={title} from={from} />
        ))}
      </div>
    </div>
  );
}

function useUsage(by: string, from: string) {
  const { api } = useOperator();
  return useLoad(
    ({ signal }) => api.run<UsageReport>('usage.sum', { group_by: by, from }, signal),
    [by, from],
    LOOK_MS,
  );
}

/** Charts by day in UTC. */
function Days({ from }: { readonly from: string }): VNode {
  const { formats } = useKit();
  return (
    <LoadedView loaded={useUsage('day', from)} lines={12}>
      {(report) => {
        const { times, requests, prompt, completion, money, total } = toDays(report);
        const common = { times, stepS: DAY_MS / 1_000 };
        const counts = countScale(formats);
        return (
          <>
            <dl class="stats" aria-label="In the whole time">
              <Stat label="Settled requests" value={formats.compact(total.requests)} />
              <Stat label="Prompt tokens" value={formats.compact(total.prompt)} />
              <Stat label="Completion tokens" value={formats.compact(total.completion)} />
              {money.map(({ currency, sum }) => (
                <Stat key={currency} label={`Cost in ${currency}`} value={moneyScale(formats, currency).format(sum)} />
              ))}
            </dl>
            <div class="cards charts">
              <Card title="Settled requests">
                <Chart
                  {...common}
                  title="Settled requests by day"
                  scale={counts}
                  series={[{ label: 'Requests', color: 1, kind: 'bars', values: requests, sum: total.requests }]}
                />
              </Card>
              <Card title="Tokens">
                <Chart
                  {...common}
                  title="Tokens by day"
                  scale={counts}
                  series={[
                    { label: 'Prompt', color: 1, kind: 'bars', values: prompt, sum: total.prompt },
                    { label: 'Completion', color: 2, kind: 'bars', values: completion, sum: total.completion },
                  ]}
                />
              </Card>
              {money.map(({ currency, values, sum }) => (
                <Card key={currency} title={`Cost in ${currency}`}>
                  <Chart
                    {...common}
                    title={`Cost by day, ${currency}`}
                    scale={moneyScale(formats, currency)}
                    series={[{ label: currency, color: 3, kind: 'bars', values, sum }]}
                  />
                </Card>
              ))}
            </div>
          </>
        );
      }}
    </LoadedView>
  );
}

/** The dearest accounts, models or providers. */
function Parts(props: { readonly by: string; readonly title: string; readonly from: string }): VNode {
  const { formats } = useKit();
  const loaded = useUsage(props.by, props.from);
  return (
    <Card title={props.title}>
      <LoadedView loaded={loaded} lines={3}>
        {({ usage }) => {
          const top = Math.max(1e-6, ...usage.map(({ cost }) => Number(cost)));
          return usage.length === 0 ? (
            <p class="muted">Nothing was used.</p>
          ) : (
            <ol class="bars">
              {usage.slice(0, MAX_BARS).map((row) => (
                <Bar
                  key={`${nameOf(row)} ${row.account_id ?? ''} ${row.currency}`}
                  name={nameOf(row)}
                  hint={`${formats.counted(row.requests, 'request')}, ${tokensOf(row, formats)}`}
                  share={Number(row.cost) / top}
                  value={formats.money(row.cost, row.currency)}
                />
              ))}
            </ol>
          );
        }}
      </LoadedView>
    </Card>
  );
}

function tokensOf({ prompt_tokens: prompt, completion_tokens: completion }: UsageRow, formats: Formats): string {
  return `${formats.compact(prompt + completion)} ${plural(prompt + completion, 'token')}`;
}

function nameOf({ account_name: account, model, provider }: UsageRow): string {
  return account ?? model ?? provider ?? '';
}

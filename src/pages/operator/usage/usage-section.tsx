import type { VNode } from 'preact';
import { toAddress, type Formats } from '../../data/index.js';
import { plural } from '../../../words/index.js';
import {
  Bar,
  Card,
  codeColor,
  Link,
  LoadedView,
  PartBars,
  statusColor,
  TrafficToolbar,
  TrafficView,
  useKit,
  useLoad,
  useStore,
  useTraffic,
  useTrafficTime,
  type TrafficTime,
} from '../../kit/index.js';
import type { Account, Traffic, UsageReport, UsageRow } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';

const DAY_MS = 86_400_000;
/** The most bars of one card. */
const MAX_BARS = 12;
const PARTS = [
  ['account', 'By account'],
  ['provider,model', 'By model'],
  ['provider', 'By provider'],
] as const;
type Part = (typeof PARTS)[number][0];

/** The subject of the section: an account, a provider, or a model of it. Without these, all requests. */
interface Subject {
  readonly account: string;
  readonly provider: string;
  readonly model: string;
}

/** Requests over time, of all or of an account, a provider or a model: outcomes, usage and cost. */
export function UsageSection(): VNode {
  const { api } = useOperator();
  const { router } = useKit();
  const { account = '', provider = '', model = '' } = useStore(router).query;
  const subject = { account, provider, model };
  const time = useTrafficTime();
  const traffic = useTraffic(time, [account, provider, model], ({ from, to }, { signal }) =>
    api.run<Traffic>('traffic.show', { from, ...(to !== '' && { to }), ...toParams(subject) }, signal),
  );
  return (
    <div class="measure">
      <TrafficToolbar time={time}>
        {account !== '' && <ChosenAccount id={account} />}
        {account === '' && provider !== '' && <Chosen name={model === '' ? provider : `${provider}/${model}`} />}
      </TrafficToolbar>
      <LoadedView loaded={traffic} lines={12}>
        {(value) => (
          <>
            <TrafficView series={value} onRange={time.onRange} />
            <div class="cards">
              <Card title="By status">
                <PartBars parts={value.statuses} colorOf={statusColor} />
              </Card>
              <Card title="By error">
                <PartBars parts={value.codes} colorOf={codeColor} />
                <p class="muted">Requests that were refused before a provider was asked, and answers that broke off.</p>
              </Card>
            </div>
          </>
        )}
      </LoadedView>
      {provider === '' && (
        <>
          <p class="muted">Charged requests of the whole days of this time, in UTC:</p>
          <div class="cards">
            {PARTS.filter(([by]) => by !== 'account' || account === '').map(([by, title]) => (
              <Charged key={by} by={by} title={title} account={account} time={time} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

function ChosenAccount({ id }: { readonly id: string }): VNode {
  const { api } = useOperator();
  const loaded = useLoad(({ signal }) => api.run<{ readonly account: Account }>('accounts.show', { id }, signal), [id]);
  return <Chosen name={`Account ${loaded.value?.account.name ?? id}`} />;
}

/** The subject of the charts, and the way back to all. */
function Chosen({ name }: { readonly name: string }): VNode {
  const { router } = useKit();
  return (
    <button
      type="button"
      class="button small"
      onClick={() => router.setQuery({ account: '', provider: '', model: '' })}
    >
      {name} <span aria-hidden="true">✕</span>
      <span class="visually-hidden">: show all</span>
    </button>
  );
}

/** The parts with the highest cost. Each opens its own charts. */
function Charged(props: {
  readonly by: Part;
  readonly title: string;
  readonly account: string;
  readonly time: TrafficTime;
}): VNode {
  const { by, title, account, time } = props;
  const { api } = useOperator();
  const { formats, router } = useKit();
  const { query } = useStore(router);
  const loaded = useTraffic(time, [by, account], ({ from, to }, { signal }) =>
    api.run<UsageReport>(
      'usage.sum',
      { group_by: by, ...toDays(from, to), ...(account !== '' && { account_id: account }) },
      signal,
    ),
  );
  return (
    <Card title={title}>
      <LoadedView loaded={loaded} lines={3}>
        {({ usage }) => {
          const top = Math.max(1e-6, ...usage.map(({ cost }) => Number(cost)));
          return usage.length === 0 ? (
            <p class="muted">Nothing was used.</p>
          ) : (
            <ol class="bars">
              {usage.slice(0, MAX_BARS).map((row) => (
                <Bar
                  key={`${nameOf(row)} ${row.account_id ?? row.provider ?? ''} ${row.currency}`}
                  name={
                    <Link to={toAddress({ path: '/metrics', query: { ...query, ...toQuery(row) } })}>
                      {nameOf(row)}
                    </Link>
                  }
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

/** The UTC days that a time range covers at least partly. */
function toDays(from: string, to: string): { readonly from: string; readonly to?: string } {
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { from: dayOf(Date.parse(from)), ...(to !== '' && { to: dayOf(Date.parse(to) + DAY_MS - 1) }) };
}

function toParams({ account, provider, model }: Subject): Readonly<Record<string, string>> {
  if (account !== '') return { account_id: account };
  return { ...(provider !== '' && { provider }), ...(model !== '' && { model }) };
}

/** The address of a part's own charts. */
function toQuery({ account_id: account, provider, model }: UsageRow): Readonly<Record<string, string>> {
  if (account !== undefined) return { account };
  return { account: '', provider: provider ?? '', model: model ?? '' };
}

function tokensOf({ prompt_tokens: prompt, completion_tokens: completion }: UsageRow, formats: Formats): string {
  return `${formats.compact(prompt + completion)} ${plural(prompt + completion, 'token')}`;
}

function nameOf({ account_name: account, model, provider }: UsageRow): string {
  return account ?? model ?? provider ?? '';
}

import { amountOf, integerOf, textOf, type Queries, type Table } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import { USAGE_ACCOUNT_DAY, USAGE_DAY, USAGE_TOTAL_DAY } from '../schema/tables.js';

const TOKENS = ['prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens'] as const;
const COUNTS = ['requests', ...TOKENS, 'cost_micro'] as const;
const DAY_KEYS = ['account_id', 'day', 'key_id', 'provider', 'model'] as const;
const ACCOUNT_KEYS = ['day', 'account_id'] as const;
const TOTAL_KEYS = ['day', 'provider', 'model', 'currency'] as const;
type Counts = Record<(typeof COUNTS)[number], bigint>;
type Named = Readonly<Record<(typeof DAY_KEYS)[number] | 'currency', string | number>>;

/**
 * Adds requests to the sums of their days, in the transaction in which their groups join the chain: each once. There are sums
 * of each key and model, and for the operator's charts sums of each account and of all accounts.
 */
export async function addToDays(queries: Queries, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  const sql = `SELECT u.account_id, u.created_at_ms, u.key_id, u.provider, u.model, a.currency,
      ${TOKENS.map((name) => `u.${name}`).join(', ')}, u.cost_micro
    FROM usage_row u JOIN account a ON a.id = u.account_id WHERE u.request_id = ANY($1::text[])`;
  const requests = (await queries.all(sql, requestIds)).map((row) => {
    const text = (name: string): string => textOf(row, name) ?? '';
    const named: Named = {
      account_id: text('account_id'),
      day: dayOf(integerOf(row, 'created_at_ms')),
      key_id: text('key_id'),
      provider: text('provider'),
      model: text('model'),
      currency: text('currency'),
    };
    const counts = noCounts();
    for (const name of COUNTS) counts[name] = name === 'requests' ? 1n : amountOf(row, name);
    return { named, counts };
  });
  await addSums(queries, USAGE_DAY, DAY_KEYS, requests);
  await addSums(queries, USAGE_ACCOUNT_DAY, ACCOUNT_KEYS, requests);
  await addSums(queries, USAGE_TOTAL_DAY, TOTAL_KEYS, requests);
}

/** Adds `requests` to the rows of `table` with their values of `keys`; rows that are missing begin at zero. */
async function addSums(
  queries: Queries,
  table: Table,
  keys: readonly (keyof Named)[],
  requests: readonly { readonly named: Named; readonly counts: Counts }[],
): Promise<void> {
  const sums = new Map<string, { readonly key: Readonly<Record<string, string | number>>; readonly counts: Counts }>();
  for (const { named, counts } of requests) {
    const key = Object.fromEntries(keys.map((name) => [name, named[name]]));
    const at = JSON.stringify(key);
    const sum = sums.get(at) ?? { key, counts: noCounts() };
    sums.set(at, sum);
    for (const name of COUNTS) sum.counts[name] += counts[name];
  }
  const rows = [...sums.values()];
  await queries.insert(
    table,
    rows.map(({ key }) => ({ ...key, ...noCounts() })),
    true,
  );
  await queries.add(
    table,
    keys,
    rows.map(({ key, counts }) => ({ ...key, ...counts })),
  );
}

function noCounts(): Counts {
  return {
    requests: 0n,
    prompt_tokens: 0n,
    cached_tokens: 0n,
    cache_write_tokens: 0n,
    completion_tokens: 0n,
    cost_micro: 0n,
  };
}

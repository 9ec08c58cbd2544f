import { amountOf, numberOf, textOf, type Queries } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import { USAGE_DAY } from '../schema/tables.js';

const TOKENS = ['prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens'] as const;
const COUNTS = ['requests', ...TOKENS, 'cost_micro'] as const;
const KEYS = ['account_id', 'day', 'key_id', 'provider', 'model'] as const;
type Sum = Record<(typeof KEYS)[number], string | number> & Record<(typeof COUNTS)[number], bigint>;

/** Adds requests to the sums of their days, in the transaction in which their groups join the chain: each once. */
export async function addToDays(queries: Queries, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  const sql = `SELECT account_id, created_at_ms, key_id, provider, model, ${TOKENS.join(', ')}, cost_micro
    FROM usage_row WHERE request_id = ANY($1::text[])`;
  const sums = new Map<string, Sum>();
  for (const row of await queries.all(sql, requestIds)) {
    const text = (name: string): string => textOf(row, name) ?? '';
    const keys = {
      account_id: text('account_id'),
      day: dayOf(numberOf(row, 'created_at_ms')),
      key_id: text('key_id'),
      provider: text('provider'),
      model: text('model'),
    };
    const place = JSON.stringify(keys);
    const sum = sums.get(place) ?? { ...keys, ...noCounts() };
    sums.set(place, sum);
    sum.requests += 1n;
    for (const name of COUNTS) if (name !== 'requests') sum[name] += amountOf(row, name);
  }
  const rows = [...sums.values()];
  await queries.insert(
    USAGE_DAY,
    rows.map((sum) => ({ ...sum, ...noCounts() })),
    true,
  );
  await queries.add(USAGE_DAY, KEYS, rows);
}

function noCounts(): Record<(typeof COUNTS)[number], bigint> {
  return {
    requests: 0n,
    prompt_tokens: 0n,
    cached_tokens: 0n,
    cache_write_tokens: 0n,
    completion_tokens: 0n,
    cost_micro: 0n,
  };
}

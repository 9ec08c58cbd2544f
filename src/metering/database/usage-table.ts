import type { Charge } from '../ledger/hold-record.js';
import type { SpendTable } from '../rollups/spend-table.js';
import { startOf } from '../rollups/steps.js';
import { amountOf, integerOf, textOf, type Row, type Statement, type Store } from '../../database/index.js';
import { dayOf, toDate } from '../window.js';
import { DAYS, OF_KEY, type UsageSums } from './usage-sums.js';

/** A query of usage. Times in milliseconds since 1970; whole days in UTC count. */
export interface UsageQuery {
  readonly from?: number;
  /** Inclusive. */
  readonly to?: number;
  readonly keyId?: string;
  readonly model?: string;
  readonly by: 'key' | 'model' | 'day';
}

/** Usage of one key, model or day, and of one currency. */
export interface UsageRow {
  /** The id of a key, a model, or a day such as `2026-11-26`. */
  readonly name: string;
  /** Absent: of requests that cost nothing. */
  readonly currency?: string;
  readonly requests: number;
  /** Of them, those whose runtime did not report tokens. */
  readonly estimatedRequests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** Tokens that counted against budgets. */
  readonly chargedTokens: number;
  /** Tokens used beyond every budget. */
  readonly unchargedTokens: number;
  readonly costMicro: bigint;
  readonly unchargedMicro: bigint;
}

/** The usage that one request adds. */
export interface UsageEntry {
  readonly day: number;
  readonly keyId: string;
  readonly model: string;
  readonly charge: Charge;
  /** When it is charged, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Usage by day, key, model and currency. */
export interface UsageTable {
  add(entry: UsageEntry): void;
  query(query: UsageQuery): readonly UsageRow[];
}

/** Of requests without a price: a column of a primary key may not be null. */
const NO_CURRENCY = '';
const FIRST_DAY = Number.MIN_SAFE_INTEGER;
const LAST_DAY = Number.MAX_SAFE_INTEGER;

const COUNTS = ` requests, estimated_requests, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
    charged_tokens, uncharged_tokens, cost_micro, uncharged_micro)`;
const ADD = `, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
  ON CONFLICT DO UPDATE SET requests = requests + 1, estimated_requests = estimated_requests + ?5,
    prompt_tokens = prompt_tokens + ?6, completion_tokens = completion_tokens + ?7, cached_tokens = cached_tokens + ?8,
    reasoning_tokens = reasoning_tokens + ?9, charged_tokens = charged_tokens + ?10,
    uncharged_tokens = uncharged_tokens + ?11, cost_micro = cost_micro + ?12, uncharged_micro = uncharged_micro + ?13`;
const INSERT = 'INSERT INTO usage_day (day, key_id, model, currency,'.concat(COUNTS, ' VALUES (?1, ?2, ?3, ?4', ADD);
/** Of all keys together; the second parameter is the key, which it does not have. */
const INSERT_TOTAL = 'INSERT INTO usage_total (day, model, currency,'.concat(COUNTS, ' VALUES (?1, ?3, ?4', ADD);

const SUMS = `currency, sum(requests) AS requests, sum(estimated_requests) AS estimated_requests,
    sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
    sum(cached_tokens) AS cached_tokens, sum(reasoning_tokens) AS reasoning_tokens,
    sum(charged_tokens) AS charged_tokens, sum(uncharged_tokens) AS uncharged_tokens,
    sum(cost_micro) AS cost_micro, sum(uncharged_micro) AS uncharged_micro`;
const SPAN = ' day BETWEEN ?2 AND ?3 AND (?4 IS NULL OR model = ?4)';
/** The sources of usage: every key, one key day by day, or the sums over all keys. */
const SOURCES = {
  keys: ' FROM usage_day WHERE ?1 IS NULL AND'.concat(SPAN),
  key: OF_KEY.concat('AND (?4 IS NULL OR model = ?4)'),
  total: ' FROM usage_total WHERE ?1 IS NULL AND'.concat(SPAN),
} as const;
const COLUMNS = { key: 'key_id', model: 'model', day: 'day' } as const satisfies Readonly<
  Record<UsageQuery['by'], string>
>;

/** Where usage is added up besides. */
export interface UsageTableSums {
  readonly sums: UsageSums;
  readonly spend: Pick<SpendTable, 'add'>;
}

/** Compiles the statements of the table of usage. `maxRows`: of one answer. */
export function openUsageTable(store: Store, maxRows: number, { sums, spend }: UsageTableSums): UsageTable {
  const insert = store.prepare(INSERT);
  const insertTotal = store.prepare(INSERT_TOTAL);
  const compiled = new Map<string, Statement>();
  const statementFor = (group: UsageQuery['by'], source: keyof typeof SOURCES): Statement => {
    const name = `${group} ${source}`;
    const column = COLUMNS[group];
    const order = [' GROUP BY ', column, ', currency ORDER BY ', column, ', currency LIMIT ?5'];
    const sql = (source === 'key' ? DAYS : '').concat('SELECT ', column, ' AS name, ', SUMS, SOURCES[source], ...order);
    const found = compiled.get(name) ?? store.prepare(sql);
    compiled.set(name, found);
    return found;
  };
  return {
    add({ day, keyId, model, charge, atMs }) {
      const values = [
        day,
        keyId,
        model,
        charge.currency ?? NO_CURRENCY,
        charge.isEstimated ? 1 : 0,
        charge.promptTokens,
        charge.completionTokens,
        charge.cachedTokens,
        charge.reasoningTokens,
        charge.chargedTokens,
        charge.unchargedTokens,
        charge.costMicro,
        charge.unchargedMicro,
      ] as const;
      insert.run(...values);
      insertTotal.run(...values);
      const { currency, costMicro, chargedTokens: tokens } = charge;
      sums.addOfKey({ day, keyId, currency: currency ?? NO_CURRENCY, tokens, costMicro });
      if (currency !== undefined && costMicro > 0n) spend.add(startOf('hour', atMs), model, currency, costMicro);
    },
    query({ from, to, keyId = null, model = null, by: group }) {
      const first = from === undefined ? FIRST_DAY : dayOf(from);
      const last = to === undefined ? LAST_DAY : dayOf(to);
      const source = keyId !== null ? 'key' : group === 'key' ? 'keys' : 'total';
      return statementFor(group, source)
        .all(keyId, first, last, model, maxRows)
        .map((row) => toUsageRow(row, group));
    },
  };
}

/** Usage from a row. */
export function toUsageRow(row: Row, by: UsageQuery['by']): UsageRow {
  const currency = textOf(row, 'currency') ?? NO_CURRENCY;
  return {
    name: by === 'day' ? toDate(integerOf(row, 'name')) : (textOf(row, 'name') ?? ''),
    ...(currency !== NO_CURRENCY && { currency }),
    requests: integerOf(row, 'requests'),
    estimatedRequests: integerOf(row, 'estimated_requests'),
    promptTokens: integerOf(row, 'prompt_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    chargedTokens: integerOf(row, 'charged_tokens'),
    unchargedTokens: integerOf(row, 'uncharged_tokens'),
    costMicro: amountOf(row, 'cost_micro'),
    unchargedMicro: amountOf(row, 'uncharged_micro'),
  };
}

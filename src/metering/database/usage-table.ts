import type { Charge } from '../ledger/hold-record.js';
import type { UsedRow } from '../ledger/ledger.js';
import type { SpendTable } from '../rollups/spend-table.js';
import { startOf } from '../rollups/steps.js';
import { amountOf, numberOf, textOf, type Row, type Statement, type Store } from '../../database/index.js';
import { dayOf, toDate, windowStart } from '../window.js';

/** What usage is asked for. Times in milliseconds since 1970; whole days in UTC count. */
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
  /** Of them, those whose tokens were not told by a runtime. */
  readonly estimatedRequests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** What counted against budgets in tokens. */
  readonly chargedTokens: number;
  /** What was used beyond every budget. */
  readonly unchargedTokens: number;
  readonly costMicro: bigint;
  readonly unchargedMicro: bigint;
}

/** What one request adds. */
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
  /** What keys used in the windows that `day` lies in. */
  used(day: number): Iterable<UsedRow>;
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

/** Parameters: the first days of the windows; a day after the present one counts in none but the total. In parts: see below. */
const USED = `
  SELECT key_id, currency, sum(charged_tokens) AS tokens_total, sum(cost_micro) AS micro_total,
    sum(charged_tokens) FILTER (WHERE day = ?1) AS tokens_day, sum(cost_micro) FILTER (WHERE day = ?1) AS micro_day,
    sum(charged_tokens) FILTER (WHERE day BETWEEN ?2 AND ?1) AS tokens_week,
    sum(cost_micro) FILTER (WHERE day BETWEEN ?2 AND ?1) AS micro_week,
    sum(charged_tokens) FILTER (WHERE day BETWEEN ?3 AND ?1) AS tokens_month,
    sum(cost_micro) FILTER (WHERE day BETWEEN ?3 AND ?1) AS micro_month
  FROM usage_day WHERE (key_id, currency) > (?4, ?5) GROUP BY key_id, currency ORDER BY key_id, currency LIMIT ?6`;

const SUMS = `currency, sum(requests) AS requests, sum(estimated_requests) AS estimated_requests,
    sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
    sum(cached_tokens) AS cached_tokens, sum(reasoning_tokens) AS reasoning_tokens,
    sum(charged_tokens) AS charged_tokens, sum(uncharged_tokens) AS uncharged_tokens,
    sum(cost_micro) AS cost_micro, sum(uncharged_micro) AS uncharged_micro`;
const SPAN = ' day BETWEEN ?1 AND ?2 AND (?4 IS NULL OR model = ?4)';
/** What of: every key, one key by its index, or the sums over all keys. */
const SOURCES = {
  keys: ' FROM usage_day WHERE ?3 IS NULL AND'.concat(SPAN),
  key: ' FROM usage_day WHERE key_id = ?3 AND'.concat(SPAN),
  total: ' FROM usage_total WHERE ?3 IS NULL AND'.concat(SPAN),
} as const;
const COLUMNS = { key: 'key_id', model: 'model', day: 'day' } as const satisfies Readonly<
  Record<UsageQuery['by'], string>
>;

/** Compiles the statements of the table of usage. `maxRows`: of one answer; `spend`: where money is added up besides. */
export function openUsageTable(store: Store, maxRows: number, spend: Pick<SpendTable, 'add'>): UsageTable {
  const insert = store.prepare(INSERT);
  const used = store.prepare(USED);
  const insertTotal = store.prepare(INSERT_TOTAL);
  const compiled = new Map<string, Statement>();
  const statementFor = (group: UsageQuery['by'], source: keyof typeof SOURCES): Statement => {
    const name = `${group} ${source}`;
    const column = COLUMNS[group];
    const order = [' GROUP BY ', column, ', currency ORDER BY ', column, ', currency LIMIT ?5'];
    const found =
      compiled.get(name) ?? store.prepare('SELECT '.concat(column, ' AS name, ', SUMS, SOURCES[source], ...order));
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
      const { currency, costMicro } = charge;
      if (currency !== undefined && costMicro > 0n) spend.add(startOf('hour', atMs), model, currency, costMicro);
    },
    used: (day) => toUsedRows(rowsInParts(used, day)),
    query({ from, to, keyId = null, model = null, by: group }) {
      const first = from === undefined ? FIRST_DAY : dayOf(from);
      const last = to === undefined ? LAST_DAY : dayOf(to);
      const source = keyId !== null ? 'key' : group === 'key' ? 'keys' : 'total';
      return statementFor(group, source)
        .all(first, last, keyId, model, maxRows)
        .map((row) => toUsageRow(row, group));
    },
  };
}

/** Keys whose usage is read at once: 50,000 of them at once would take 100 MB for a moment, which V8 is slow to give back. */
const PART = 1_000;

function* rowsInParts(used: Statement, day: number): Iterable<Row> {
  const windows = [day, windowStart('week', day), windowStart('month', day)] as const;
  for (let [keyId, currency] = ['', '']; ;) {
    const rows = used.all(...windows, keyId, currency, PART);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PART) return;
    [keyId, currency] = [textOf(last, 'key_id') ?? '', textOf(last, 'currency') ?? ''];
  }
}

/** Tokens of a key are those of all its currencies together; its rows follow each other. */
function* toUsedRows(rows: Iterable<Row>): Iterable<UsedRow> {
  let tokens: UsedRow | undefined;
  for (const row of rows) {
    const keyId = textOf(row, 'key_id') ?? '';
    const currency = textOf(row, 'currency') ?? NO_CURRENCY;
    if (tokens !== undefined && tokens.keyId !== keyId) yield tokens;
    const before = tokens?.keyId === keyId ? tokens : undefined;
    tokens = {
      keyId,
      currency: undefined,
      day: amountOf(row, 'tokens_day') + (before?.day ?? 0n),
      week: amountOf(row, 'tokens_week') + (before?.week ?? 0n),
      month: amountOf(row, 'tokens_month') + (before?.month ?? 0n),
      total: amountOf(row, 'tokens_total') + (before?.total ?? 0n),
    };
    if (currency === NO_CURRENCY) continue;
    const [day, week, month, total] = [
      amountOf(row, 'micro_day'),
      amountOf(row, 'micro_week'),
      amountOf(row, 'micro_month'),
      amountOf(row, 'micro_total'),
    ];
    yield { keyId, currency, day, week, month, total };
  }
  if (tokens !== undefined) yield tokens;
}

/** A row as it is read. */
export function toUsageRow(row: Row, by: UsageQuery['by']): UsageRow {
  const currency = textOf(row, 'currency') ?? NO_CURRENCY;
  return {
    name: by === 'day' ? toDate(numberOf(row, 'name')) : (textOf(row, 'name') ?? ''),
    ...(currency !== NO_CURRENCY && { currency }),
    requests: numberOf(row, 'requests'),
    estimatedRequests: numberOf(row, 'estimated_requests'),
    promptTokens: numberOf(row, 'prompt_tokens'),
    completionTokens: numberOf(row, 'completion_tokens'),
    cachedTokens: numberOf(row, 'cached_tokens'),
    reasoningTokens: numberOf(row, 'reasoning_tokens'),
    chargedTokens: numberOf(row, 'charged_tokens'),
    unchargedTokens: numberOf(row, 'uncharged_tokens'),
    costMicro: amountOf(row, 'cost_micro'),
    unchargedMicro: amountOf(row, 'uncharged_micro'),
  };
}

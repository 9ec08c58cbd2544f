import { amountOf, integerOf, textOf, type Database, type Queries, type Row } from '../../database/index.js';
import { addSpan, countRequest, emptySpan, SpanCounter, type Counted, type Span } from '../../metering/index.js';
import type { Lease } from '../billing.js';
import { fence } from '../nodes/leases.js';
import { addSpans, KINDS, NO_ANSWER, trafficPartsOf } from './span-rows.js';

/** Groups of one transaction: some 20 ms, which a settlement may have to wait. */
const BATCH = 500;
/** Transactions of one turn: other work of the node runs between two turns. */
const BATCHES = 20;
/** The error code of a request whose node ended before it. */
const EXPIRED = 'expired';
const EXPIRED_REQUEST: Counted = { ...NO_ANSWER, status: undefined, errorCode: EXPIRED };

/** Groups that may wait to be counted while a chart is still complete. */
export const COUNTED_SOON = BATCH * BATCHES;

/**
 * Counts requests that ended, by the chain of the ledger: each once, in the transaction that moves the watermark behind its group.
 */
export async function countEnded(database: Database, lease: Lease, nowMs: number): Promise<void> {
  for (let batch = 0; batch < BATCHES && lease.isHeld(); batch++) {
    const count = await database.transaction(async (queries) => {
      return (await fence(queries, lease)) ? countBatch(queries, nowMs) : 0;
    });
    if (count < BATCH) return;
  }
}

/** How many groups were read. */
async function countBatch(queries: Queries, nowMs: number): Promise<number> {
  const watermark = await queries.get('SELECT seq FROM span_watermark');
  const sql = `SELECT c.seq, l.kind, l.reference, l.note FROM ledger_chain c
    LEFT JOIN ledger l ON l.group_id = c.group_id AND l.line = 0
    WHERE c.seq > $1 ORDER BY c.seq LIMIT ${BATCH}`;
  const groups = await queries.all(sql, amountOf(watermark ?? {}, 'seq'));
  const last = groups.at(-1);
  if (last === undefined) return 0;
  const counter = new SpanCounter(KINDS);
  const ended = groups.filter((group) => ['usage', 'void'].includes(textOf(group, 'kind') ?? ''));
  const requests = await requestsOf(queries, ended.map(referenceOf));
  const late = await expiredBefore(queries, ended);
  for (const group of ended) {
    const request = requests.get(referenceOf(group));
    // Records of requests are not kept for ever.
    if (request === undefined) continue;
    for (const add of waysToCount(group, request, late)) {
      counter.add(integerOf(request, 'created_at_ms'), trafficPartsOf(identityOf(request)), add);
    }
  }
  await addSpans(queries, counter, nowMs);
  await queries.run('UPDATE span_watermark SET seq = $1', amountOf(last, 'seq'));
  return groups.length;
}

/** What a group adds to the spans of its request. */
function waysToCount(group: Row, request: Row, late: ReadonlySet<string>): readonly ((span: Span) => void)[] {
  if (textOf(group, 'kind') === 'void') {
    const note = textOf(group, 'note');
    if (note === EXPIRED) return [(span) => countRequest(span, EXPIRED_REQUEST)];
    // The listener counts a request whose admission failed.
    return note === 'refused' ? [] : [(span) => countRequest(span, toCounted(request))];
  }
  const count = (span: Span): void => countRequest(span, toCounted(request));
  return late.has(referenceOf(group)) ? [takeBackExpired, count] : [count];
}

function takeBackExpired(span: Span): void {
  addSpan(span, { ...emptySpan(), requests: -1, errors: -1, codes: new Map([[EXPIRED, -1]]) });
}

/** A request as it ended. An answer that broke off, or was cut for want of money, has a status of success and a code. */
function toCounted(row: Row): Counted {
  const end = textOf(row, 'end_kind');
  const orNone = (name: string): number | undefined => (row[name] === null ? undefined : integerOf(row, name));
  const status = orNone('status');
  const isBroken = (end === 'failed' || end === 'cut') && (status ?? 0) < 400;
  return {
    status,
    isAborted: end === 'left',
    errorCode: isBroken ? (end === 'cut' ? 'insufficient_credit' : 'upstream_error') : undefined,
    promptTokens: integerOf(row, 'prompt_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    ttftMs: orNone('first_byte_ms'),
    durationMs: orNone('duration_ms'),
    cost: { currency: textOf(row, 'currency') ?? '', micro: amountOf(row, 'cost_micro') },
  };
}

async function requestsOf(queries: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const rows = await queries.all('SELECT * FROM usage_row WHERE request_id = ANY($1::text[])', ids);
  return new Map(rows.map((row) => [textOf(row, 'request_id') ?? '', row]));
}

/** Requests that were settled although they had expired: they were counted as failed. */
async function expiredBefore(queries: Queries, groups: readonly Row[]): Promise<ReadonlySet<string>> {
  const settled = groups.filter((group) => textOf(group, 'kind') === 'usage');
  const sql = 'SELECT reference FROM ledger WHERE group_id = ANY($1::text[]) AND line = 0 AND note = $2';
  const ids = settled.map((group) => `void:${referenceOf(group)}`);
  return new Set((await queries.all(sql, ids, EXPIRED)).map(referenceOf));
}

function referenceOf(row: Row): string {
  return textOf(row, 'reference') ?? '';
}

function identityOf(row: Row) {
  const [accountId = '', provider = '', model = ''] = ['account_id', 'provider', 'model'].map((name) =>
    textOf(row, name),
  );
  return { accountId, provider, model };
}

// The groups of the ledger in one order without gaps, each with a hash over itself and the hash before it. Groups join it some
// moments after they were written: so no settlement waits for another one's.

import { createHash } from 'node:crypto';
import { amountOf, integerOf, textOf, type Queries, type Row } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import { LEDGER_CHAIN } from '../schema/tables.js';
import { addToDays } from '../usage/rollup.js';

/** A group with its lines as the ledger has them, in the order of their numbers. */
export interface LinkedGroup {
  readonly id: string;
  readonly kind: string;
  readonly accountId: string;
  readonly reference: string;
  readonly currency: string;
  readonly note: string;
  readonly createdAtMs: number;
  readonly lines: readonly {
    readonly line: number;
    readonly from: string;
    readonly to: string;
    readonly amountMicro: bigint;
  }[];
}

/** The hash before the first group. */
export const LEDGER_GENESIS_HASH = '0'.repeat(64);
/** Groups that join at once. */
const BATCH = 1_000;

/** Lets the next groups join the chain, and counts their usage, in the caller's transaction. How many; fewer than a batch: all. */
export async function link(
  queries: Queries,
  nowMs: number,
): Promise<{ readonly count: number; readonly isMore: boolean }> {
  const sql = `SELECT group_id FROM ledger_pending ORDER BY group_id LIMIT ${BATCH}`;
  const ids = (await queries.all(sql)).map((row) => textOf(row, 'group_id') ?? '');
  if (ids.length === 0) return { count: 0, isMore: false };
  const last = await queries.get('SELECT seq, day, hash FROM ledger_chain ORDER BY seq DESC LIMIT 1');
  const groups = await loadGroups(queries, ids);
  // A clock that goes back does not begin an earlier day.
  const day = Math.max(dayOf(nowMs), last === undefined ? 0 : integerOf(last, 'day'));
  let seq = last === undefined ? 0n : amountOf(last, 'seq');
  let hash = last === undefined ? LEDGER_GENESIS_HASH : (textOf(last, 'hash') ?? LEDGER_GENESIS_HASH);
  const links = groups.map((group) => {
    seq += 1n;
    hash = hashOfGroup(hash, seq, day, group);
    return { seq, day, group_id: group.id, hash };
  });
  await queries.insert(LEDGER_CHAIN, links);
  await queries.run('DELETE FROM ledger_pending WHERE group_id = ANY($1::text[])', ids);
  await addToDays(
    queries,
    groups.flatMap(({ kind, reference }) => (kind === 'usage' ? [reference] : [])),
  );
  return { count: groups.length, isMore: ids.length === BATCH };
}

/** The hash of a group behind `prevHash`: SHA-256 over all of its fields as JSON. */
export function hashOfGroup(prevHash: string, seq: bigint, day: number, group: LinkedGroup): string {
  const { id, kind, accountId, reference, currency, note, createdAtMs, lines } = group;
  const written = lines.map(({ line, from, to, amountMicro }) => [line, from, to, String(amountMicro)]);
  const fields = [prevHash, String(seq), day, id, kind, accountId, reference, currency, note, createdAtMs, written];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** Groups by their ids, in that order; unknown ids are skipped. */
export async function loadGroups(queries: Queries, ids: readonly string[]): Promise<readonly LinkedGroup[]> {
  const sql = 'SELECT * FROM ledger WHERE group_id = ANY($1::text[]) ORDER BY group_id, line';
  const byId = new Map<string, Row[]>();
  for (const row of await queries.all(sql, ids)) {
    const id = textOf(row, 'group_id') ?? '';
    const lines = byId.get(id) ?? [];
    byId.set(id, lines);
    lines.push(row);
  }
  return ids.flatMap((id) => {
    const rows = byId.get(id);
    return rows === undefined ? [] : [toGroup(id, rows)];
  });
}

function toGroup(id: string, rows: readonly Row[]): LinkedGroup {
  const [first = {}] = rows;
  const lines = rows.map((row) => ({
    line: integerOf(row, 'line'),
    from: textOf(row, 'from_account') ?? '',
    to: textOf(row, 'to_account') ?? '',
    amountMicro: amountOf(row, 'amount_micro'),
  }));
  return {
    id,
    kind: textOf(first, 'kind') ?? '',
    accountId: textOf(first, 'account_id') ?? '',
    reference: textOf(first, 'reference') ?? '',
    currency: textOf(first, 'currency') ?? '',
    note: textOf(first, 'note') ?? '',
    createdAtMs: integerOf(first, 'created_at_ms'),
    lines,
  };
}

import { textOf, type Database } from '../../database/index.js';
import type { Lease } from '../billing.js';
import { fence } from '../nodes/leases.js';

/** Options of a removal. */
export interface RemoveUsageOptions {
  readonly database: Database;
  /** Milliseconds since 1970 that jumps of the machine's clock do not move. */
  readonly steadyMs: () => number;
  /** Days that records of requests are kept for; 0: for ever. */
  readonly usageDays: number;
}

const DAY_MS = 86_400_000;
/** Records that one transaction removes: some ten milliseconds, which a settlement may have to wait. */
const SLICE = 500;
const ACCOUNTS = 1_000;

/**
 * Removes records of requests past their retention, in slices, while `lease` is held; returns their number. The ledger,
 * its chain and the sums by day stay. The end of the retained range is written first: the ledger then refuses older
 * records.
 */
export async function removeUsage(
  { database, steadyMs, usageDays }: RemoveUsageOptions,
  lease: Lease,
): Promise<number> {
  if (usageDays === 0) return 0;
  const fromMs = steadyMs() - usageDays * DAY_MS;
  const isOurs = await database.transaction(async (queries) => {
    if (!(await fence(queries, lease))) return false;
    await queries.run('UPDATE usage_kept SET from_ms = $1 WHERE from_ms < $1', fromMs);
    return true;
  });
  let removed = 0;
  for (let after: string | undefined = ''; isOurs && after !== undefined && lease.isHeld();) {
    const sql = 'SELECT id FROM account WHERE id > $1 ORDER BY id LIMIT $2';
    const ids: readonly string[] = (await database.all(sql, after, ACCOUNTS)).map((row) => textOf(row, 'id') ?? '');
    for (const id of ids) removed += await removeOf(database, lease, id, fromMs);
    after = ids.at(-1);
  }
  return removed;
}

async function removeOf(database: Database, lease: Lease, accountId: string, fromMs: number): Promise<number> {
  // Records that still have to join the chain must be added to the sums by day first, and all to the spans.
  const sql = `DELETE FROM usage_row WHERE request_id IN (
    SELECT u.request_id FROM usage_row u WHERE u.account_id = $1 AND u.created_at_ms < $2
      AND NOT EXISTS (SELECT 1 FROM ledger_pending p
        WHERE p.group_id = 'usage:' || u.request_id OR p.group_id = 'void:' || u.request_id)
      AND NOT EXISTS (SELECT 1 FROM ledger_chain c, span_watermark w
        WHERE (c.group_id = 'usage:' || u.request_id OR c.group_id = 'void:' || u.request_id) AND c.seq > w.seq)
    ORDER BY u.created_at_ms LIMIT ${SLICE})`;
  for (let removed = 0; ;) {
    const count = lease.isHeld() ? await database.run(sql, accountId, fromMs) : 0;
    removed += count;
    if (count < SLICE) return removed;
  }
}

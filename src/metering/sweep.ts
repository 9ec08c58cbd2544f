import { isError, type LogEntry } from '../base/index.js';
import type { AuditLog } from './audit/audit-log.js';
import type { WriteCommitter } from './database/committer.js';
import type { KeyTable } from './keys/key-table.js';
import type { Tables } from './holds/recover.js';
import type { Rollups } from './rollups/rollups.js';

/** Options of a sweep. */
export interface SweepOptions {
  readonly audit: AuditLog;
  readonly committer: WriteCommitter;
  readonly tables: Tables & { readonly keys: KeyTable };
  readonly rollups: Rollups;
  readonly retention: { readonly requestDays: number; readonly auditDays: number };
  readonly nowMs: number;
  readonly log: (entry: LogEntry) => void;
  /** Whether the meter closes: the rest is for the next start. */
  readonly isStopped: () => boolean;
}

const DAY_MS = 86_400_000;
/** Rows that one transaction removes: some 20 ms, in which no request is served. */
const BATCH = 2000;
/** How long the remains of a grace are kept. */
const GRACE_MS = DAY_MS;

/** Removes rows past their retention. */
export async function sweepRetention({
  audit,
  committer,
  tables,
  rollups,
  retention,
  nowMs,
  log,
  isStopped,
}: SweepOptions): Promise<void> {
  try {
    const before = nowMs - retention.requestDays * DAY_MS;
    // Uncounted rows wait for the next sweep.
    for (let isMore = true; isMore && !isStopped();) {
      await committer.write(() => {
        isMore = tables.requests.removeBefore(before, rollups.throughSeq, BATCH) === BATCH;
      });
    }
    if (isStopped()) return;
    for (let isMore = true; isMore && !isStopped();) {
      await committer.write(() => {
        tables.keys.removeGracesBefore(nowMs - GRACE_MS);
        isMore = rollups.removeOld();
      });
    }
    if (isStopped()) return;
    await audit.removeBefore(nowMs - retention.auditDays * DAY_MS);
  } catch (error) {
    // The next one tries again.
    log({ event: 'retention not applied', reason: isError(error) ? error.message : String(error) });
  }
}

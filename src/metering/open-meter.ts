import { join } from 'node:path';
import {
  AppError,
  lockOwner,
  makeDirectory,
  systemClock,
  throwFileError,
  tryLock,
  type Clock,
  type FileLock,
  type LogEntry,
} from '../base/index.js';
import { AdminToken } from './admin-token/admin-token.js';
import { readAdminToken } from './admin-token/admin-token-file.js';
import { AuditLog } from './audit/audit-log.js';
import { WriteCommitter } from './database/committer.js';
import { AUDIT_FILE, METERING_FILE } from './database/files.js';
import { openHoldTable } from './database/hold-table.js';
import { auditMigrations, meteringMigrations } from './database/migrations.js';
import { openForgivenTable } from './database/forgiven-table.js';
import { openMeterDatabase } from './database/open-database.js';
import { openRequestTable, type RequestRow } from './database/request-table.js';
import { openSettings } from './database/settings.js';
import { openUsageSums } from './database/usage-sums.js';
import { openUsageTable } from './database/usage-table.js';
import { openKeyTable } from './keys/key-table.js';
import { MAX_ROWS, SLICE_TOKENS } from './limits.js';
import { LocalMeter } from './local-meter.js';
import type { Meter } from './meter.js';
import { recover } from './holds/recover.js';
import { openRollupTable } from './rollups/rollup-table.js';
import { openSpendTable } from './rollups/spend-table.js';
import { preferredStore, type Store, type StoreKind } from '../database/index.js';

/** Options of a meter. */
export interface MeterOptions {
  /** Where its databases lie. Made with mode 0700 where it is not there. */
  readonly directory: string;
  readonly clock?: Clock;
  /** Milliseconds since 1970, for windows and expiries. */
  readonly now?: () => number;
  readonly log: (entry: LogEntry) => void;
  /** Completion tokens of one slice of a reservation; default 256. */
  readonly sliceTokens?: number;
  readonly retention: { readonly requestDays: number; readonly auditDays: number };
  /** Called with each row for the request log, at once. */
  readonly onRequest?: (row: RequestRow) => void;
  /** Which SQLite; default: Node's own where it has one. */
  readonly store?: StoreKind;
}

/**
 * Opens the meter of a directory. One process has it open at a time. Reservations of a dead process are settled or
 * voided. Errors: `metering_in_use`, `metering_database_invalid`, and those of files.
 */
export async function openMeter(options: MeterOptions): Promise<Meter> {
  const { directory, clock = systemClock, log, sliceTokens = SLICE_TOKENS } = options;
  const now = options.now ?? (() => clock.unixSeconds() * 1000);
  await makeDirectory(directory, 0o700).catch(throwFileError('write', directory));
  const lock = await takeLock(directory, clock);
  const opened: Store[] = [];
  try {
    const kind = options.store ?? preferredStore();
    const path = join(directory, METERING_FILE);
    const store = await openMeterDatabase({ kind, path, durability: 'process', migrations: meteringMigrations });
    opened.push(store);
    const auditPath = join(directory, AUDIT_FILE);
    const auditStore = await openMeterDatabase({
      kind,
      path: auditPath,
      durability: 'machine',
      migrations: auditMigrations,
    });
    opened.push(auditStore);
    const settings = openSettings(store);
    const spend = openSpendTable(store);
    const sums = openUsageSums(store);
    const tables = {
      holds: openHoldTable(store),
      usage: openUsageTable(store, MAX_ROWS, { sums, spend }),
      sums,
      requests: openRequestTable(store),
      keys: openKeyTable(store),
      forgiven: openForgivenTable(store),
      rollups: openRollupTable(store),
      spend,
    };
    const recovered = recover(store, tables, now(), log);
    const committer = new WriteCommitter({ store, clock, log });
    const audit = new AuditLog({ store: auditStore, now, log });
    const { retention } = options;
    const adminToken = new AdminToken({ directory, state: readAdminToken(directory), audit });
    return new LocalMeter({
      lock,
      directory,
      sqlite: kind.name,
      settings,
      adminToken,
      store,
      auditStore,
      tables,
      recovered,
      committer,
      audit,
      clock,
      now,
      log,
      sliceTokens,
      retention,
      onRequest: options.onRequest,
    });
  } catch (error) {
    for (const store of opened) store.close();
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function takeLock(directory: string, clock: Clock): Promise<FileLock> {
  const path = join(directory, 'metering.lock');
  const lock = await tryLock(path, clock).catch(throwFileError('write', path));
  if (lock !== null) return lock;
  const pid = await lockOwner(path);
  const owner = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `${directory} is in use by ${owner}; stop that, ask it, or choose another directory`;
  throw new AppError('metering_in_use', message, { path: directory, ...(pid !== undefined && { pid }) });
}

import { join } from 'node:path';
import {
  every,
  invalidValue,
  makeDirectory,
  systemClock,
  throwFileError,
  unixMs,
  type Clock,
  type LogEntry,
} from '../base/index.js';
import type { Database } from '../database/index.js';
import { createAccounts } from './accounts/accounts.js';
import { createAuditBooks } from './audit.js';
import type { Billing } from './billing.js';
import { StepCommitter } from './books/committer.js';
import type { HeldRequest } from './books/held-request.js';
import { createCursors } from './cursor.js';
import { createAccountKeys } from './keys/account-keys.js';
import { exportLedger } from './ledger/export.js';
import { verifyLedger } from './ledger/verify.js';
import { LocalLimits } from './limits/local-limits.js';
import { SharedLimits } from './limits/shared-limits.js';
import { Allowances } from './nodes/allowances.js';
import { createLeases } from './nodes/leases.js';
import { Nodes } from './nodes/nodes.js';
import { Recall } from './nodes/recall.js';
import { Outbox } from './outbox/outbox.js';
import { createPrices } from './prices/prices.js';
import { createAdmitPaid } from './requests/paid-requests.js';
import { Settler } from './requests/settler.js';
import { billingMigrations } from './schema/migrations.js';
import { Timers } from './timers.js';
import { readTraffic } from './traffic/read-traffic.js';
import { Refusals } from './traffic/refusals.js';
import { createUsagePages } from './usage/usage-pages.js';

/** Options of billing. */
export interface BillingOptions {
  /** Stays the caller's: it is not closed with billing. */
  readonly database: Database;
  /** Where the outbox of this node lies: a folder that no other node has. Made with mode 0700 where it is not there. */
  readonly directory: string;
  /** Of the HMAC under which secrets of keys are kept, and of cursors: at least 32 bytes, the same on all nodes. */
  readonly hmacKey: Uint8Array;
  readonly log: (entry: LogEntry) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** A Valkey by which nodes share limits a minute; absent: each node has its part of them. */
  readonly valkeyUrl?: string;
  /** Completion tokens of one slice of a reservation; default 512. */
  readonly sliceTokens?: number;
  /** Tokens to reserve for an answer that cannot be cut and has no stated bound; default 8,192. */
  readonly wholeTokens?: number;
  /** How long a request may take at most; default one hour. */
  readonly maxStreamMs?: number;
  /** Admissions a second from which this node takes an allowance of an account; default 50. */
  readonly busyPerSecond?: number;
  /** Days that records of requests are kept for, at least 31; default: for ever. The ledger and sums by day always stay. */
  readonly usageDays?: number;
}

const SLICE_TOKENS = 512;
const WHOLE_TOKENS = 8_192;
const MAX_STREAM_MS = 3_600_000;
const BUSY_PER_SECOND = 50;
const KEY_BYTES = 32;
/** Accounts can list requests of a month. */
const LEAST_USAGE_DAYS = 31;
/** How often the timers check for due work. */
const TICK_MS = 1_000;

/**
 * Opens billing on a database, and migrates its tables to the newest version. Errors: `database_unavailable`,
 * `database_invalid`, `outbox_unusable`, `invalid_value`, and those of files.
 */
export async function openBilling(options: BillingOptions): Promise<Billing> {
  const { database, directory, hmacKey, log, clock = systemClock } = options;
  if (hmacKey.length < KEY_BYTES)
    throw invalidValue('hmacKey', `${hmacKey.length} bytes`, `at least ${KEY_BYTES} bytes`);
  const { usageDays = 0 } = options;
  if (usageDays !== 0 && !(usageDays >= LEAST_USAGE_DAYS))
    throw invalidValue('usageDays', usageDays, `0, or at least ${LEAST_USAGE_DAYS}`);
  const wallMs = options.now ?? unixMs;
  const now = (): number => Math.floor(wallMs());
  const steadyMs = createSteadyTime(clock, now);
  await database.migrate('billing', billingMigrations);
  await makeDirectory(directory, 0o700).catch(throwFileError('write', directory));
  const outbox = await Outbox.open({ path: join(directory, 'outbox.jsonl'), clock, log });

  const open = new Map<string, HeldRequest>();
  const committer: StepCommitter = new StepCommitter({ database, clock, nodeId: () => nodes.id, nowMs: steadyMs });
  const nodes: Nodes = new Nodes({ database, clock, now, log, onReborn: () => allowances.forget() });
  const allowances: Allowances = new Allowances({
    committer,
    clock,
    log,
    nodeId: () => nodes.id,
    isLive: () => nodes.isLive,
    nodes: () => nodes.living,
    busyPerSecond: options.busyPerSecond ?? BUSY_PER_SECOND,
  });
  const recall = new Recall({ database, allowances, clock, log, nodeId: () => nodes.id });
  const settler = new Settler({ committer, outbox, clock, log });
  const cursors = createCursors(hmacKey);
  const leases = createLeases({ database, clock, log, nodeId: () => nodes.id });
  const keys = createAccountKeys({ database, cursors, hmacKey, clock, now });
  const local = new LocalLimits({ clock, nodes: () => nodes.living });
  const { valkeyUrl: url } = options;
  const shared = url === undefined ? undefined : await SharedLimits.open({ url, local, clock, log });
  const admit = createAdmitPaid({
    committer,
    allowances,
    recall,
    limits: shared ?? local,
    clock,
    now,
    steadyMs,
    log,
    sliceTokens: options.sliceTokens ?? SLICE_TOKENS,
    wholeTokens: options.wholeTokens ?? WHOLE_TOKENS,
    maxStreamMs: options.maxStreamMs ?? MAX_STREAM_MS,
    settle: (settlement) => settler.settle(settlement),
    open,
  });
  const refusals = new Refusals(database, steadyMs);
  const timers = new Timers({
    database,
    committer,
    allowances,
    nodes,
    leases,
    settler,
    keys,
    refusals,
    open,
    clock,
    steadyMs,
    log,
    usageDays,
  });

  try {
    await nodes.enter();
    await timers.runAll();
  } catch (error) {
    recall.close();
    shared?.close();
    await outbox[Symbol.asyncDispose]();
    throw error;
  }
  const stop = every(TICK_MS, clock, () => timers.start());

  return {
    accounts: createAccounts({ database, cursors, now }),
    keys,
    prices: createPrices({ database, cursors, clock, now }),
    requests: {
      admit,
      ...createUsagePages(database, cursors),
      traffic: (query) => readTraffic(database, query),
      noteRefused: (request) => refusals.note(request),
    },
    ledger: { verify: () => verifyLedger(database), export: (range) => exportLedger(database, range) },
    leases,
    audit: createAuditBooks(database, cursors, now),
    get outboxDepth() {
      return settler.depth;
    },
    get counts() {
      return { ...settler.counts, open: open.size, nodes: nodes.living };
    },
    tick: () => timers.runAll(),
    async [Symbol.asyncDispose]() {
      stop();
      await timers.close();
      recall.close();
      shared?.close();
      await outbox[Symbol.asyncDispose]();
    },
  };
}

/** The wall clock of the start, moved by the monotonic one: jumps of the machine's clock expire nothing. */
function createSteadyTime(clock: Clock, now: () => number): () => number {
  const [startMs, wallMs] = [clock.nowMs(), now()];
  return () => Math.floor(wallMs + clock.nowMs() - startMs);
}

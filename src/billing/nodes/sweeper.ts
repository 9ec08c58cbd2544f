import type { LogEntry } from '../../base/index.js';
import { amountOf, integerOf, textOf, type Database, type Row } from '../../database/index.js';
import type { Lease } from '../billing.js';
import type { StepCommitter } from '../books/committer.js';
import { toIdentity } from '../books/request-identity.js';
import { IDEMPOTENCY_MS } from '../books/run-steps.js';
import { toVoid, type Settlement } from '../books/settlement.js';
import { dayOf } from '../../metering/index.js';

/** Options of the sweeper. */
export interface SweeperOptions {
  readonly database: Database;
  readonly committer: StepCommitter;
  /** Milliseconds since 1970 that jumps of the machine's clock do not move. */
  readonly steadyMs: () => number;
  readonly log: (entry: LogEntry) => void;
}

/** Holds that are voided at once. */
const BATCH = 500;
/** More than an account can have, which means all. */
const EVERYTHING = 10n ** 18n;
/** Windows of budgets are kept for longer than the longest that ends. */
const WINDOW_DAYS = 40;

const COLUMNS =
  'request_id, account_id, key_id, provider, model, price_version, currency, granted_tokens, held_micro, windows, created_at_ms';
/** Holds without a live node, and holds older than any request may be. */
const LEFT = `SELECT ${COLUMNS} FROM hold h
  WHERE h.expires_at_ms < $1 OR NOT EXISTS (SELECT 1 FROM node n WHERE n.id = h.node_id) LIMIT ${BATCH}`;

/** Voids holds without a live node or past their time, and returns allowances of dead nodes. Needs the lease. */
export async function sweepHolds(options: SweeperOptions, lease: Lease): Promise<void> {
  await voidLeft(options, lease);
  await giveBack(options, lease);
}

/** Voids holds of a node that had no open request at this sweep and the last. Returns the ids without a request now. */
export async function voidOrphans(
  { database, committer, steadyMs, log }: SweeperOptions,
  nodeId: string,
  open: ReadonlyMap<string, unknown>,
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const rows = await database.all(`SELECT ${COLUMNS} FROM hold WHERE node_id = $1`, nodeId);
  const orphans = rows.map((row) => toExpired(row, steadyMs())).filter(({ requestId }) => !open.has(requestId));
  const left = orphans.filter(({ requestId }) => before.has(requestId));
  await Promise.all(left.map((settlement) => committer.run({ kind: 'settle', settlement })));
  if (left.length > 0) log({ event: 'holds voided', count: left.length, reason: 'their admission had been given up' });
  return new Set(orphans.map(({ requestId }) => requestId));
}

/** Removes old idempotency keys and budget windows. */
export async function removeOld({ database, steadyMs }: SweeperOptions): Promise<void> {
  await database.run('DELETE FROM idempotency WHERE created_at_ms < $1', steadyMs() - IDEMPOTENCY_MS);
  const sql = "DELETE FROM key_window WHERE kind <> 'total' AND held_micro = 0 AND start_day < $1";
  await database.run(sql, dayOf(steadyMs()) - WINDOW_DAYS);
}

async function voidLeft({ database, committer, steadyMs, log }: SweeperOptions, lease: Lease): Promise<void> {
  let voided = 0;
  while (lease.isHeld()) {
    const nowMs = steadyMs();
    const rows = await database.all(LEFT, nowMs);
    const steps = rows.map((row) => ({ kind: 'settle', settlement: toExpired(row, nowMs) }) as const);
    await Promise.all(steps.map((step) => committer.run(step)));
    voided += rows.length;
    if (rows.length < BATCH) break;
  }
  if (voided > 0)
    log({ event: 'holds voided', count: voided, reason: 'the node that held them died, or they ran too long' });
}

async function giveBack({ database, committer, log }: SweeperOptions, lease: Lease): Promise<void> {
  const dead = 'NOT EXISTS (SELECT 1 FROM node n WHERE n.id = allowance.node_id)';
  const rows = await database.all(`SELECT node_id, account_id FROM allowance WHERE ${dead}`);
  if (!lease.isHeld()) return;
  for (const row of rows) {
    const [nodeId, accountId] = [textOf(row, 'node_id') ?? '', textOf(row, 'account_id') ?? ''];
    await committer.run({ kind: 'give', nodeId, accountId, amountMicro: EVERYTHING });
  }
  if (rows.length === 0) return;
  await database.run(`DELETE FROM allowance WHERE amount_micro = 0 AND ${dead}`);
  log({ event: 'allowances given back', count: rows.length, reason: 'the nodes that had them died' });
}

function toExpired(row: Row, nowMs: number): Settlement {
  const held = {
    ...toIdentity(row),
    windows: JSON.parse(textOf(row, 'windows') ?? '[]') as readonly string[],
    allowanceOf: undefined,
    grantedTokens: integerOf(row, 'granted_tokens'),
    heldMicro: amountOf(row, 'held_micro'),
  };
  return toVoid(held, nowMs, 'expired');
}

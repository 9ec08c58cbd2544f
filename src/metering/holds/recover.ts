// Ends the holds of a dead process when a database is opened. A hold whose answer began is charged its reservation: the
// delivered part of the answer is unknown. A hold whose answer had not begun costs nothing.

import type { LogEntry } from '../../base/index.js';
import type { HoldTable, LeftHold } from '../database/hold-table.js';
import type { RequestTable } from '../database/request-table.js';
import type { UsageTable } from '../database/usage-table.js';
import type { Recovered } from '../meter.js';
import type { Store } from '../../database/index.js';

/** The tables of a database. */
export interface Tables {
  readonly holds: HoldTable;
  readonly usage: UsageTable;
  readonly requests: RequestTable;
}

/** Ends every hold of the database, in one transaction, and reports the number. */
export function recover(store: Store, tables: Tables, nowMs: number, log: (entry: LogEntry) => void): Recovered {
  const left = tables.holds.all();
  const settled = left.filter(({ began }) => began);
  const voided = left.length - settled.length;
  if (left.length === 0) return { settled: 0, voided };
  store.exec('BEGIN IMMEDIATE');
  try {
    for (const hold of left) end(hold, tables, nowMs);
    store.exec('COMMIT');
  } catch (error) {
    store.exec('ROLLBACK');
    throw error;
  }
  if (settled.length > 0)
    log({ event: 'reservations settled', count: settled.length, reason: 'the process that held them ended' });
  if (voided > 0) log({ event: 'reservations voided', count: voided, reason: 'the process that held them ended' });
  return { settled: settled.length, voided };
}

function end(hold: LeftHold, { holds, usage, requests }: Tables, nowMs: number): void {
  const { requestId, keyId, model, currency, began, day, createdAtMs } = hold;
  const [promptTokens, completionTokens] = began ? [hold.promptTokens, hold.completionTokens] : [0, 0];
  const counts = { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0, isEstimated: began };
  const costMicro = began ? hold.heldMicro : 0n;
  const chargedTokens = promptTokens + completionTokens;
  const charge = { ...counts, chargedTokens, unchargedTokens: 0, currency, costMicro, unchargedMicro: 0n };
  holds.remove(requestId);
  usage.add({ day, keyId, model, charge, atMs: nowMs });
  requests.insert({
    ...counts,
    requestId,
    keyId,
    model,
    atMs: createdAtMs,
    isStream: false,
    bytesIn: 0,
    bytesOut: 0,
    isAborted: true,
    errorCode: 'internal_error',
  });
}

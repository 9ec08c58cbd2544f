import type { LogEntry } from '../../base/index.js';
import type { RequestRow } from '../database/request-table.js';
import { OpenHold, type Hold } from '../holds/hold.js';
import { KeyList, type AuthenticatedKey, type KeyEndListener } from '../keys/key-list.js';
import type { KeyRecord } from '../keys/key-record.js';
import type { AdmitRequest } from '../ledger/hold-record.js';
import { SLICE_TOKENS } from '../limits.js';
import type { RateState } from '../meter.js';
import type { MeterChange, MeterLink } from './meter-link.js';

/** The part of a meter that a relay worker uses, on any thread. */
export interface MeterClient {
  /** Resolves when the keys are known; until then every key is unknown. */
  readonly ready: Promise<void>;
  /** As `Meter.authenticate`, by the copy of the keys that this thread has. */
  authenticate(secret: string): AuthenticatedKey;
  /** Every key. */
  keys(): readonly KeyRecord[];
  /** As `Meter.admit`. */
  admit(request: AdmitRequest): Promise<Hold>;
  /** As `Meter.limitState`, as of the key's last admission here. */
  limitState(keyId: string): RateState;
  /** As `Meter.onKeyEnded`. */
  onKeyEnded(listener: KeyEndListener): () => void;
  /** As `Meter.recordRequest`. */
  recordRequest(row: RequestRow): void;
}

/** Options of a client besides its link to the meter. */
export interface MeterClientOptions {
  /** Milliseconds since 1970, for expiries. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** As the meter's. */
  readonly sliceTokens?: number;
}

/** A meter in another thread, as this one uses it: keys are looked up here, holds are extended ahead of need. */
export function createMeterClient(link: MeterLink, options: MeterClientOptions): MeterClient {
  const { now, log, sliceTokens = SLICE_TOKENS } = options;
  const list = new KeyList(now, log);
  const listeners = new Set<KeyEndListener>();
  const rates = new Map<string, RateState>();
  let setReady: () => void;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });

  link.onChange((change: MeterChange) => {
    if (change.type === 'keys') {
      replaceKeys(list, change.keys);
      setReady();
    } else {
      for (const listener of listeners) {
        if (change.hash === undefined) listener(change.keyId);
        else listener(change.keyId, change.hash);
      }
    }
  });

  return {
    ready,
    authenticate: (secret) => list.authenticate(secret),
    keys: () => list.records(),
    async admit(request) {
      list.requireActive(request.keyId);
      const { requestId, choices, outputTokensBound } = request;
      const { grantedTokens, rates: its } = await link.admit(request);
      rates.set(request.keyId, its);
      return new OpenHold({
        requestId,
        grantedTokens,
        leastAhead: outputTokensBound === undefined ? (sliceTokens * choices) / 2 : 0,
        extend: (completionTokens) => link.extend(requestId, completionTokens),
        settle: (outcome) => link.settle(requestId, outcome),
      });
    },
    limitState: (keyId) => rates.get(keyId) ?? {},
    onKeyEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    recordRequest: (row) => link.recordRequest(row),
  };
}

/** Makes the list equal to the meter's. */
function replaceKeys(list: KeyList, keys: readonly KeyRecord[]): void {
  const ids = new Set(keys.map(({ id }) => id));
  for (const { id } of list.records()) if (!ids.has(id)) list.remove(id);
  for (const record of keys) {
    const { id, prefix, hash, state, createdAtMs, lastUsedAtMs, rotatedFrom, origin, graces } = record;
    // `expired` follows from the time here, too.
    const stored = { id, prefix, hash, state: state === 'expired' ? ('active' as const) : state, createdAtMs };
    const rest = { rules: undefined, fileHash: undefined, lastUsedAtMs, rotatedFrom };
    list.put({ ...stored, ...rest }, record, origin, graces);
  }
}

// What another thread asks of a meter, as messages: calls with answers, and a feed of keys.

import type { ErrorData } from '../../base/index.js';
import type { RequestRow } from '../database/request-table.js';
import type { KeyRecord } from '../keys/key-record.js';
import type { AdmitRequest, Outcome } from '../ledger/hold-record.js';
import type { RateState } from '../meter.js';

/** What an admission gives. */
export interface AdmissionGrant {
  readonly grantedTokens: number;
  /** Where the limits a minute of the key stand now. */
  readonly rates: RateState;
}

/** What the other thread learns without asking. */
export type MeterChange =
  | { readonly type: 'keys'; readonly keys: readonly KeyRecord[] }
  | { readonly type: 'ended'; readonly keyId: string; readonly hash?: string };

/** The way to a meter. */
export interface MeterLink {
  /** Errors: those of `Meter.admit`. */
  admit(request: AdmitRequest): Promise<AdmissionGrant>;
  /** Notes that the answer began, and reserves more where there is more; what is reserved then. Errors: `metering_unavailable`. */
  extend(requestId: string, completionTokens: number): Promise<number>;
  /** Resolves when it is durable. */
  settle(requestId: string, outcome: Outcome): Promise<void>;
  recordRequest(row: RequestRow): void;
  /** Calls `listener` with all keys at first, and then with what changes. */
  onChange(listener: (change: MeterChange) => void): void;
}

/** A call on its way to the meter. `id` comes back with its answer; a row of the log has none. */
export type MeterCall =
  | { readonly id: number; readonly call: 'admit'; readonly request: AdmitRequest }
  | { readonly id: number; readonly call: 'extend'; readonly requestId: string; readonly completionTokens: number }
  | { readonly id: number; readonly call: 'settle'; readonly requestId: string; readonly outcome: Outcome }
  | { readonly call: 'record'; readonly row: RequestRow };

/** An answer on its way back, or a change. */
export type MeterMessage =
  | { readonly id: number; readonly value?: AdmissionGrant | number }
  | { readonly id: number; readonly error: ErrorData }
  | { readonly change: MeterChange };

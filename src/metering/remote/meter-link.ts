// Calls of another thread to a meter, as messages with answers, and a feed of keys.

import type { ErrorData } from '../../base/index.js';
import type { RequestRow } from '../database/request-table.js';
import type { KeyRecord } from '../keys/key-record.js';
import type { AdmitRequest, Outcome } from '../ledger/hold-record.js';
import type { RateState } from '../meter.js';

/** The result of an admission. */
export interface AdmissionGrant {
  readonly grantedTokens: number;
  /** The limits a minute of the key now. */
  readonly rates: RateState;
}

/** Changes that the meter sends unasked. */
export type MeterChange =
  | { readonly type: 'keys'; readonly keys: readonly KeyRecord[] }
  | { readonly type: 'ended'; readonly keyId: string; readonly hash?: string };

/** The way to a meter. */
export interface MeterLink {
  /** Errors: those of `Meter.admit`. */
  admit(request: AdmitRequest): Promise<AdmissionGrant>;
  /**
   * Records that the answer began, and reserves more if the budgets have room; returns the reservation. Errors:
   * `metering_unavailable`.
   */
  extend(requestId: string, completionTokens: number): Promise<number>;
  /** Resolves when it is durable. */
  settle(requestId: string, outcome: Outcome): Promise<void>;
  recordRequest(row: RequestRow): void;
  /** Calls `listener` with all keys at first, and then with each change. */
  onChange(listener: (change: MeterChange) => void): void;
}

/** A call to the meter. Its answer repeats the `id`; a row of the log has none. */
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

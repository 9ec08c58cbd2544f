import type { Window } from '../window.js';

/** How much a key may use in a window: tokens, prompt and completion together, or money by the prices of models. */
export type Budget =
  | { readonly tokens: number; readonly window: Window }
  | { readonly amountMicro: bigint; readonly currency: string; readonly window: Window };

/** Limits of a key. An absent limit does not limit; all present limits apply together. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly parallelRequests?: number;
  /** Of one answer. The gateway holds it; metering only keeps it. */
  readonly maxOutputTokens?: number;
  readonly budgets: readonly Budget[];
}

/** A key as a configuration file has it. */
export interface KeyDefinition {
  /** Stays the same when the key is rotated. */
  readonly id: string;
  /** The public prefix of its secret: `gwk_` and six characters. */
  readonly prefix: string;
  /** SHA-256 of its secret in hexadecimal. */
  readonly hash: string;
  /** For people. */
  readonly name: string;
  /** The models that it may use: ids, or their beginning and `*`. Null: all. */
  readonly models: readonly string[] | null;
  /** Milliseconds since 1970. Null: never. */
  readonly expiresAtMs: number | null;
  readonly limits: KeyLimits;
}

/** The state of a key. `expired` follows from the time and is never stored. */
export type KeyState = 'active' | 'disabled' | 'revoked' | 'expired';

/** A hash that a rotation left behind, and until when it is still taken, in milliseconds since 1970. */
export interface Grace {
  readonly hash: string;
  readonly untilMs: number;
}

/** A key in the meter's memory. */
export interface KeyRecord extends KeyDefinition {
  readonly origin: 'file' | 'database';
  readonly state: KeyState;
  readonly createdAtMs: number;
  readonly lastUsedAtMs?: number;
  /** Its prefix before the last rotation. */
  readonly rotatedFrom?: string;
  readonly graces: readonly Grace[];
}

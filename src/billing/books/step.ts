import type { AdmissionRequest } from './admission.js';
import type { HeldRequest } from './held-request.js';
import type { Settlement } from './settlement.js';

/** One change of an account's money. */
export type AccountStep =
  | { readonly kind: 'admit'; readonly admission: AdmissionRequest }
  | {
      readonly kind: 'extend';
      readonly request: HeldRequest;
      readonly wantedTokens: number;
      readonly budgets: AdmissionRequest['budgets'];
    }
  | { readonly kind: 'settle'; readonly settlement: Settlement }
  | AllowanceStep;

/**
 * A node takes money of an account to spend it without further transactions: at most a `part`th of the available money,
 * and not less than `leastMicro`. Or it returns the money.
 */
export type AllowanceStep =
  | {
      readonly kind: 'take';
      readonly nodeId: string;
      readonly accountId: string;
      readonly wantedMicro: bigint;
      readonly leastMicro: bigint;
      readonly part: bigint;
    }
  | { readonly kind: 'give'; readonly nodeId: string; readonly accountId: string; readonly amountMicro: bigint };

/** The result of a settlement. `unchangedBecause`: the request had ended before. */
export interface Settled {
  readonly chargedMicro: bigint;
  readonly unchargedMicro: bigint;
  readonly isNew: boolean;
  /** Whether it had been voided before its usage arrived. */
  readonly isLate: boolean;
}

/** The reservation of a request. */
export interface Granted {
  readonly grantedTokens: number;
  readonly heldMicro: bigint;
}

/** The result of a step; a refused step has its error. */
export type StepResult =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'settled'; readonly settled: Settled }
  | { readonly kind: 'taken'; readonly amountMicro: bigint }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Options of a batch: the node that runs it, and its time in milliseconds since 1970. */
export interface RunOptions {
  readonly nodeId: string;
  readonly nowMs: number;
}

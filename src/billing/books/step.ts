import type { Admission } from './admission.js';
import type { Granted, Settled } from './books.js';
import type { HeldRequest } from './held-request.js';
import type { Settlement } from './settlement.js';

/** One thing that is done with the money of an account. */
export type Step =
  | { readonly kind: 'admit'; readonly admission: Admission }
  | {
      readonly kind: 'extend';
      readonly request: HeldRequest;
      readonly wantedTokens: number;
      readonly budgets: Admission['budgets'];
    }
  | { readonly kind: 'settle'; readonly settlement: Settlement }
  | AllowanceStep;

/** A node takes money of an account to spend it by itself, at most a `part`th of what is available, or gives it back. */
export type AllowanceStep =
  | {
      readonly kind: 'take';
      readonly nodeId: string;
      readonly accountId: string;
      readonly wantedMicro: bigint;
      readonly part: bigint;
    }
  | { readonly kind: 'give'; readonly nodeId: string; readonly accountId: string; readonly amountMicro: bigint };

/** What came of a step: of a refused one, why. */
export type StepResult =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'settled'; readonly settled: Settled }
  | { readonly kind: 'taken'; readonly amountMicro: bigint }
  | { readonly kind: 'refused'; readonly error: unknown };

/** What runs a batch: on whose behalf, and when, in milliseconds since 1970. */
export interface RunOptions {
  readonly nodeId: string;
  readonly nowMs: number;
}

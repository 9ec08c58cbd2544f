import type { HeldRequest } from './held-request.js';

/** A budget of a key, and the window in which a request counts. */
export interface OpenBudget {
  readonly amountMicro: bigint;
  /** As `day:20783`. */
  readonly window: string;
  /** Milliseconds since 1970; null: never. */
  readonly resetsAtMs: number | null;
}

/** A request that is to be admitted. */
export interface Admission {
  readonly request: HeldRequest;
  readonly wantedTokens: number;
  /** The bound of its answer; Infinity where nobody says one. */
  readonly mostTokens: number;
  /** With fewer it is refused: 1, or all of an answer that cannot be cut. */
  readonly leastTokens: number;
  readonly budgets: readonly OpenBudget[];
  readonly idempotencyKey: string | undefined;
  readonly expiresAtMs: number;
}

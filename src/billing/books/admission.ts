import type { HeldRequest } from './held-request.js';

/** A budget of a key, and the window in which a request counts. */
export interface OpenBudget {
  readonly amountMicro: bigint;
  /** As `day:20783`. */
  readonly window: string;
  /** Milliseconds since 1970; null: never. */
  readonly resetsAtMs: number | null;
}

/** A request to admit. */
export interface AdmissionRequest {
  readonly request: HeldRequest;
  readonly wantedTokens: number;
  /** The bound of its answer; Infinity without a stated bound. */
  readonly mostTokens: number;
  /** Fewer tokens refuse the request: 1, or the whole answer if it cannot be cut. */
  readonly leastTokens: number;
  readonly budgets: readonly OpenBudget[];
  readonly idempotencyKey: string | undefined;
  readonly expiresAtMs: number;
}

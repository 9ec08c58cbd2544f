import type { Price } from '../billing.js';
import type { RequestIdentity } from '../usage/usage-views.js';

/** A request that is under way, as its node knows it. */
export interface HeldRequest extends RequestIdentity {
  readonly price: Price;
  /** The bound of its prompt. */
  readonly promptTokens: number;
  readonly images: number;
  readonly audios: number;
  /** Windows of budgets in which it counts, as `day:20783`. */
  readonly windows: readonly string[];
  /** The node whose allowance it was reserved from; undefined: it has a row of its own. */
  readonly allowanceOf: string | undefined;
  /** Tokens reserved for its answer, all choices together. */
  grantedTokens: number;
  heldMicro: bigint;
}

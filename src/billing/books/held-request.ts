import type { Price } from '../billing.js';
import type { RequestIdentity } from '../usage/usage-views.js';

/** A request under way in its node's memory. */
export interface HeldRequest extends RequestIdentity {
  readonly price: Price;
  /** The bound of its prompt. */
  readonly promptTokens: number;
  readonly images: number;
  readonly audios: number;
  /** Windows of budgets in which it counts, as `day:20783`. */
  readonly windows: readonly string[];
  /** The node whose allowance pays for it; undefined: it has a hold of its own. */
  readonly allowanceOf: string | undefined;
  /** Tokens reserved for its answer, all choices together. */
  grantedTokens: number;
  heldMicro: bigint;
}

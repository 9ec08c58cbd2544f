import type { WalkState } from '../run/index.js';
import type { TokenMask } from '../token-mask.js';

/** A mask that was asked for. */
export interface MaskOrder {
  /** Whether it is there, or will not come. */
  readonly isReady: boolean;
  /** The tokens that may come next in the text; not to be written to. Once it is ready. Errors: `grammar_too_slow`. */
  readonly mask: TokenMask;
}

/** Whoever makes masks beside what else is computed. */
export interface MaskMaker {
  /** Asks for the mask of a state; one that is known is ready at once. */
  order(state: WalkState): MaskOrder;
}

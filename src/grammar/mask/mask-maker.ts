import type { WalkState } from '../run/index.js';
import type { TokenMask } from '../token-mask.js';

/** A mask that was asked for. */
export interface MaskOrder {
  /** Whether it is there, or will not come. */
  readonly isReady: boolean;
  /** The tokens that may come next in the text; not to be written to. Once it is ready. Errors: `grammar_too_slow`. */
  readonly mask: TokenMask;
}

/** Makes masks beside other work. */
export interface MaskMaker {
  /** Orders the mask of a state; a cached one is ready at once. */
  order(state: WalkState): MaskOrder;
}

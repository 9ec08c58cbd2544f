import type { TokenMask } from '../token-mask.js';

/** Masks in one buffer: a buffer each would cost more than the mask. */
const MASKS = 16;

/** Makes masks that allow nothing, several in a buffer. */
export function createMaskSlabs(vocabSize: number): () => TokenMask {
  const numWords = Math.ceil(vocabSize / 32);
  let slab = new Uint32Array(0);
  let next = 0;
  return () => {
    if (next === slab.length) {
      slab = new Uint32Array(MASKS * numWords);
      next = 0;
    }
    next += numWords;
    return slab.subarray(next - numWords, next);
  };
}

import { alignUp } from '../../../../base/index.js';

/** Tokens of a block, as kernels-as/sampling/row-layout.ts has it: a row is whole blocks. */
export const ROW_BLOCK_TOKENS = 64;

/** Tokens of a part at least: below that, waiting for another thread takes longer than its share does. */
const LEAST_TOKENS = 8192;

/** How many of `threads` share a row of `vocabSize` logits. */
export function rowParts(vocabSize: number, threads: number): number {
  return Math.max(1, Math.min(threads, Math.floor(vocabSize / LEAST_TOKENS)));
}

/** Tokens of a row of `vocabSize` logits, rounded up to whole blocks. */
export function rowSize(vocabSize: number): number {
  return alignUp(vocabSize, ROW_BLOCK_TOKENS);
}

/** Bytes of the sampler's scratch for one row: four words a token, 12 bytes a block, a mass and each part's count a bucket. */
export function rowBytes(vocabSize: number, parts: number): number {
  const size = rowSize(vocabSize);
  const buckets = 33 * (size > 16_384 ? 256 : 64);
  const notes = alignUp(size * 16 + (size / ROW_BLOCK_TOKENS) * 12, 64) + 64;
  return notes + buckets * 8 + parts * (buckets * 4 + 128);
}

/**
 * Tokens in a block of the KV cache, of every device: the unit in which the engine gives out, shares and copies it. 32 is one
 * tile of the CPU's attention kernel.
 */
export const KV_BLOCK_TOKENS = 32;

/** How keys and values are stored. */
export type KvFormat = 'f32' | 'q8';

/** Blocks that hold `numTokens` tokens. */
export function blocksFor(numTokens: number): number {
  return Math.ceil(numTokens / KV_BLOCK_TOKENS);
}

/** Most blocks that `rows` tokens in a row and those in their windows lie in, with one more for a block that is copied. */
export function spanBlocks(window: number, rows: number): number {
  return blocksFor(window + rows) + 2;
}

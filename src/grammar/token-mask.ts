/** A bit for each token of a vocabulary: bit `id % 32` of word `id / 32`. */
export type TokenMask = Uint32Array<ArrayBuffer>;

/** A mask that allows nothing. */
export function createTokenMask(vocabSize: number): TokenMask {
  return new Uint32Array(Math.ceil(vocabSize / 32));
}

/** Sets the bit of `tokenId`. */
export function allowToken(mask: TokenMask, tokenId: number): void {
  const word = tokenId >>> 5;
  mask[word] = (mask[word] as number) | (1 << (tokenId & 31));
}

/** Whether the bit of `tokenId` is set. */
export function isAllowed(mask: TokenMask, tokenId: number): boolean {
  return (((mask[tokenId >>> 5] ?? 0) >>> (tokenId & 31)) & 1) === 1;
}

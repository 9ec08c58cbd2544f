/** What is asked of a tokenizer: the bytes of its tokens, and ids by content. */
export interface TokenBytes {
  tokenBytes(id: number): Uint8Array;
  tokenToId(content: string): number | undefined;
}

/**
 * The bytes of each token within a text, for ids in [0, vocabSize); undefined for `hidden` ones, which stand for no text.
 * The tokenizer takes ids up to there: a padded model has more than its tokenizer has tokens.
 */
export function textTokens(
  tokenizer: TokenBytes,
  vocabSize: number,
  hidden: readonly string[],
): (Uint8Array | undefined)[] {
  const ids = new Set(hidden.map((content) => tokenizer.tokenToId(content)));
  return Array.from({ length: vocabSize }, (_, id) => (ids.has(id) ? undefined : tokenizer.tokenBytes(id)));
}

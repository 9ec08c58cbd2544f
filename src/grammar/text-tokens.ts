/** The part of a tokenizer that is used here: the bytes of its tokens, and ids by content. */
export interface TokenBytes {
  tokenBytes(id: number): Uint8Array;
  tokenToId(content: string): number | undefined;
}

/**
 * The bytes of each token within a text, one by one, for ids in [0, vocabSize); undefined for `hidden` ones, which have
 * no text. The tokenizer accepts ids up to there: a padded model has more than its tokenizer has tokens.
 */
export function* textTokens(
  tokenizer: TokenBytes,
  vocabSize: number,
  hidden: readonly string[],
): Generator<Uint8Array | undefined, void> {
  const ids = new Set(hidden.map((content) => tokenizer.tokenToId(content)));
  for (let id = 0; id < vocabSize; id++) yield ids.has(id) ? undefined : tokenizer.tokenBytes(id);
}

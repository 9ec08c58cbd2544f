import { openTokenizer, type Tokenizer } from '../../tokenizer/index.js';
import type { EncodeTokens } from '../mask/index.js';

/** Encodes with the tokenizer that `compiled` (a tokenizer.bin) is, which is opened when the first text comes. */
export function lazyEncoder(compiled: Uint8Array): EncodeTokens {
  let tokenizer: Tokenizer | undefined;
  return (text) => {
    tokenizer ??= openTokenizer(compiled);
    return tokenizer.encode(text, { addSpecialTokens: false });
  };
}

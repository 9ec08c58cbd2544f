import { toErrorData, type ErrorData } from '../base/index.js';
import { makeTokenizer, type ConversionTokenizer, type TokenizerParts } from './conversion-tokenizer.js';

/** What a worker thread runs: it makes tokenizer.bin and vocabulary.bin. piscina looks for the default or a named export. */
export function run(parts: TokenizerParts): ConversionTokenizer | { readonly error: ErrorData } {
  try {
    return makeTokenizer(parts);
  } catch (error) {
    // Errors would lose their code between threads.
    return { error: toErrorData(error) };
  }
}

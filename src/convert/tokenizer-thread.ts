import { toErrorData, type ErrorData } from '../base/index.js';
import { makeTokenizer, type ConversionTokenizer, type TokenizerParts } from './conversion-tokenizer.js';

/** The task of a worker thread: compiles tokenizer.bin and vocabulary.bin. piscina looks for the default or a named export. */
export function run(parts: TokenizerParts): ConversionTokenizer | { readonly error: ErrorData } {
  try {
    return makeTokenizer(parts);
  } catch (error) {
    // Returned as data: a thrown error would lose its code between threads.
    return { error: toErrorData(error) };
  }
}

// Text ⇄ ids: byte-level BPE from tokenizer.json, its compiled form, and the incremental detokenizer.
export { compileTokenizer } from './compile.js';
export { tokenizerCodes } from './errors.js';
export { loadTokenizer } from './load.js';
export { openTokenizer } from './open.js';
export type { PlainText } from './plain-text.js';
export type { DecodeOptions, Detokenizer, EncodeOptions, TextDelta, Tokenizer } from './tokenizer-api.js';

// Text ⇄ ids: tokenizer.json and tokenizer.model, their compiled form, and the incremental detokenizer.
export { compileSpec as compileTokenizerSpec, compileTokenizer } from './file/compile.js';
export { tokenizerCodes } from './errors.js';
export { loadTokenizer } from './file/load.js';
export { openTokenizer, openTokenNames, type TokenNames } from './file/open.js';
export { compileTokenizerModel } from './sentencepiece/compile-model.js';
export { compileSentencePiece, type SentencePieceSpec } from './sentencepiece/compile-pieces.js';
export { pieceTypes, toPieceTypes, type PieceTable } from './sentencepiece/pieces.js';
export type { PlainText } from './text/plain-text.js';
export type {
  DecodeOptions,
  Detokenizer,
  DetokenizerOptions,
  EncodeOptions,
  TextDelta,
  Tokenizer,
} from './tokenizer-api.js';

import { type JsonObject } from '../../base/index.js';
import type { SectionReader, Sections } from '../file/binary.js';
import type { Pieces } from '../pre-tokenizers/index.js';
import type { TokenContents } from '../tokens/token-contents.js';
import type { TokenNotation } from '../tokens/token-notation.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';

/** Turns one word into ids. */
export interface TokenizerModel {
  /** Cuts words further, where that changes no id. */
  readonly cut?: ((pieces: Pieces) => Pieces) | undefined;
  /** Appends the ids of the word `units[start, end)` (well-formed UTF-16, not empty) to `out`. */
  encodeWord(units: Uint16Array, start: number, end: number, out: number[]): void;
}

/** The compiled form of `model` of tokenizer.json in tokenizer.bin. */
export interface CompiledModel {
  /** The vocabulary as the file writes it. */
  readonly vocabulary: TokenContents;
  readonly sections: Sections;
  /** Small settings of this model, stored as JSON. */
  readonly settings: JsonObject;
  /** Tokens that no text has: they are not found by their bytes. */
  readonly hidden?: ReadonlySet<number>;
  /** Decoded texts of tokens where these differ from their content. */
  readonly texts?: ReadonlyMap<number, string>;
  /** Tokens that are a byte each, where the decoder does not say which. */
  readonly byteOf?: ReadonlyMap<number, number>;
}

/** A kind of model: reads tokenizer.json on one side, tokenizer.bin on the other. */
export interface ModelKind {
  compile(spec: JsonObject, notation: TokenNotation): CompiledModel;
  /** `controlIds`: never the ids of a word, whatever the word is. */
  open(
    sections: SectionReader,
    settings: JsonObject,
    vocabulary: TokenVocabulary,
    controlIds: ReadonlySet<number>,
  ): TokenizerModel;
}

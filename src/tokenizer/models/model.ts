import type { ByteAlphabet } from '../byte-alphabet.js';
import type { SectionReader, Sections } from '../binary.js';
import type { JsonObject } from '../json.js';
import type { Vocabulary } from '../vocabulary.js';

/** Turns one word into ids. */
export interface Model {
  /** Appends the ids of the word `units[start, end)` (well-formed UTF-16, not empty) to `out`. */
  encodeWord(units: Uint16Array, start: number, end: number, out: number[]): void;
}

/** What `model` of tokenizer.json becomes in tokenizer.bin. */
export interface CompiledModel {
  /** The vocabulary as the file writes it. */
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly sections: Sections;
  /** Small settings of this model, stored as JSON. */
  readonly settings: JsonObject;
}

/** A kind of model: reads tokenizer.json on one side, tokenizer.bin on the other. */
export interface ModelKind {
  compile(spec: JsonObject, alphabet: ByteAlphabet): CompiledModel;
  /** `controlIds`: never the ids of a word, whatever the word is. */
  open(sections: SectionReader, settings: JsonObject, vocabulary: Vocabulary, controlIds: ReadonlySet<number>): Model;
}

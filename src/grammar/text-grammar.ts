import { invalidValue } from '../base/index.js';
import type { CompiledGrammar } from './compile/index.js';
import { createVocabulary as create, type GrammarVocabulary, openVocabulary as open } from './mask/index.js';
import { GrammarWalk, type WalkState } from './run/index.js';

/** The tokens of a model as grammars see them. It keeps masks that were made, so use one for all grammars. */
export interface Vocabulary {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** The input of `openVocabulary`: it may be kept in a file, and lies in memory that threads may share. */
  toBytes(): Uint8Array;
}

/** The beginning of a text that a grammar allows. It does not change, so that several may go on from it. */
export interface TextState {
  /** Whether the text may end here. */
  readonly canEnd: boolean;
  /** Whether nothing may follow. */
  readonly isOver: boolean;
  /** A bit for each token that may come next, bit `id % 32` of word `id / 32`: [vocabSize / 32], the caller's. */
  mask(vocabulary: Vocabulary): Uint32Array;
  /** The text with this more; undefined where no text of the grammar goes on like this. */
  advance(text: string | Uint8Array): TextState | undefined;
  /** The text with the bytes of one more token; undefined also for a token without text. */
  advance(tokenId: number, vocabulary: Vocabulary): TextState | undefined;
  /** The bytes that come next in every text that goes on, as far as there are no two ways; at most 4096. */
  forcedBytes(): Uint8Array;
}

/** A grammar that is ready to be used. Texts are UTF-8. */
export interface TextGrammar {
  /** The same as plain data, for a constraint of kind `grammar`. */
  readonly compiled: CompiledGrammar;
  /**
   * The keywords of a schema that are not enforced, each with its path; empty for a fully enforced schema, and for all
   * other grammars.
   */
  readonly unenforced: readonly string[];
  /** Whether the text as a whole is one of the grammar. */
  accepts(text: string | Uint8Array): boolean;
  /** The empty text. */
  start(): TextState;
}

/**
 * A vocabulary by its tokens: `tokens[id]` are the bytes of each within a text, undefined for those without text, which
 * are never allowed. Errors: `invalid_value`.
 */
export function createVocabulary(tokens: readonly (Uint8Array | undefined)[]): Vocabulary {
  return new KnownVocabulary(create(tokens));
}

/** The vocabulary that `toBytes` gave, without a copy where it can be. Errors: `invalid_value` for bytes that are none. */
export function openVocabulary(bytes: Uint8Array): Vocabulary {
  return new KnownVocabulary(open(bytes));
}

/** A grammar over its compiled form. */
export function toTextGrammar(compiled: CompiledGrammar, unenforced: readonly string[] = []): TextGrammar {
  const walk = new GrammarWalk(compiled);
  const start = (): TextState => new State(walk.start());
  return { compiled, unenforced, accepts: (text) => start().advance(text)?.canEnd === true, start };
}

class KnownVocabulary implements Vocabulary {
  readonly masks: GrammarVocabulary;

  constructor(masks: GrammarVocabulary) {
    this.masks = masks;
  }

  get vocabSize(): number {
    return this.masks.vocabSize;
  }

  toBytes(): Uint8Array {
    return this.masks.toBytes();
  }
}

class State implements TextState {
  readonly #state: WalkState;

  constructor(state: WalkState) {
    this.#state = state;
  }

  get canEnd(): boolean {
    return this.#state.canEnd;
  }

  get isOver(): boolean {
    return this.#state.isOver;
  }

  mask(vocabulary: Vocabulary): Uint32Array {
    return masksOf(vocabulary).mask(this.#state).slice();
  }

  advance(next: string | Uint8Array | number, vocabulary?: Vocabulary): TextState | undefined {
    const bytes = typeof next === 'number' ? tokenBytes(next, vocabulary) : toBytes(next);
    if (bytes === undefined) return undefined;
    const state = this.#state.advance(bytes);
    return state && new State(state);
  }

  forcedBytes(): Uint8Array {
    return this.#state.forcedBytes();
  }
}

function toBytes(text: unknown): Uint8Array {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  if (text instanceof Uint8Array) return text;
  throw invalidValue('text', text, 'a string, bytes, or a token id with its vocabulary');
}

function tokenBytes(tokenId: number, vocabulary: Vocabulary | undefined): Uint8Array | undefined {
  const bytes = masksOf(vocabulary).bytesOf(tokenId);
  return bytes.length === 0 ? undefined : bytes;
}

function masksOf(vocabulary: Vocabulary | undefined): GrammarVocabulary {
  if (vocabulary instanceof KnownVocabulary) return vocabulary.masks;
  throw invalidValue('vocabulary', vocabulary, 'what createVocabulary or openVocabulary gave');
}

import type { PlainText } from './plain-text.js';

/** How a text is encoded. */
export interface EncodeOptions {
  /** Adds the ids that the model expects around a text. Default true. */
  readonly addSpecialTokens?: boolean;
  /** Absent: the text of a control token is that token, wherever it stands. */
  readonly plain?: PlainText | undefined;
}

/** Text to ids and back. All calls are synchronous; an instance belongs to one thread. */
export interface Tokenizer {
  /** One more than the largest id: ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /**
   * The ids of `text`; with `addSpecialTokens` (default true) also those that the model expects around a text.
   * Errors: `text_too_long`.
   */
  encode(text: string, options?: EncodeOptions): number[];
  /** The text of `ids`; ids that name no token are dropped. `skipSpecialTokens` (default false) leaves special ones out. */
  decode(ids: ArrayLike<number>, options?: { readonly skipSpecialTokens?: boolean }): string;
  /** The bytes that a token decodes to, a copy: maybe part of a character. None for an id that names no token. */
  tokenBytes(id: number): Uint8Array;
  /** A decoder for ids that come one by one. */
  createDetokenizer(): Detokenizer;
  /** The id of a token as the vocabulary writes it, added tokens first. */
  tokenToId(content: string): number | undefined;
  /** The tokens that are cut out of a text before anything else, as the vocabulary writes them. */
  readonly addedTokens: readonly { readonly content: string; readonly special: boolean }[];
}

/** A piece of text, or alone in its delta the content of an added token (`special`; `text` is empty then). */
export interface TextDelta {
  readonly text: string;
  readonly special?: string;
}

/**
 * Text from ids as they come. Never gives a part of a code point, nor U+FFFD before it is certain; all deltas joined
 * are `decode` of all ids.
 */
export interface Detokenizer {
  push(id: number): TextDelta[];
  /** What is left at the end: U+FFFD for an incomplete code point. The detokenizer is as new afterwards. */
  flush(): TextDelta[];
}

import type { PlainText } from './text/plain-text.js';

/** How a text is encoded. */
export interface EncodeOptions {
  /** Add the tokens that the model expects around a text. Default true. */
  readonly addSpecialTokens?: boolean | null | undefined;
  /** Where the text of a control token is text. Absent: nowhere; it always becomes that token. */
  readonly plain?: PlainText | null | undefined;
}

/** How ids are decoded. */
export interface DecodeOptions {
  /** Leave special tokens out. Default false. */
  readonly skipSpecialTokens?: boolean | null | undefined;
}

/** Options of a stream of ids. */
export interface DetokenizerOptions {
  /**
   * The ids go on with a text that has begun: the first of them keeps the space that a tokenizer of SentencePiece takes off
   * the beginning of a text. Default false.
   */
  readonly continues?: boolean | null | undefined;
}

/** Text to ids and back. All calls are synchronous; an instance belongs to one thread. */
export interface Tokenizer {
  /** One more than the largest id: ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** The ids of `text`. Errors: `text_too_long`, `invalid_value`, `invalid_option`. */
  encode(text: string, options?: EncodeOptions): number[];
  /**
   * The text of `ids`; an id of the vocabulary that names no token gives none. Errors: `invalid_value` for one outside of
   * it (a model's tokenizer takes every id that the model can give), `invalid_option`.
   */
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  /** The bytes that a token decodes to inside a text, a copy: maybe part of a character. None for an id that names no token. */
  tokenBytes(id: number): Uint8Array;
  /** A decoder for ids that come one by one. */
  createDetokenizer(options?: DetokenizerOptions): Detokenizer;
  /** The id of a token as the vocabulary writes it, added tokens first. */
  tokenToId(content: string): number | undefined;
  /** The tokens that are cut out of a text before anything else, as the vocabulary writes them. */
  readonly addedTokens: readonly {
    /** The text that is cut out. */
    readonly content: string;
    /** Whether the vocabulary marks it as special. */
    readonly special: boolean;
  }[];
}

/** A piece of text, or alone in its delta the content of an added token (`special`; `text` is empty then). */
export interface TextDelta {
  /** The text that the ids so far make certain. */
  readonly text: string;
  /** The content of an added token. */
  readonly special?: string;
}

/**
 * Text from ids as they come. Never gives a part of a code point, nor U+FFFD before it is certain; all deltas joined
 * equal `decode` of all ids. The exception are byte tokens (`<0xE2>`) that are no UTF-8. These give one U+FFFD for each
 * maximal invalid part, as in byte-level tokenizers, since `decode` may drop characters that a stream has given out
 * already.
 */
export interface Detokenizer {
  /** The text of one more id; none while its character is incomplete. */
  push(id: number): TextDelta[];
  /** The bytes that `push` of this id would add now, a copy: `tokenBytes` without those lost at the beginning of a text. */
  bytesOf(id: number): Uint8Array;
  /** The rest at the end: U+FFFD for an incomplete code point. The detokenizer is as new afterwards. */
  flush(): TextDelta[];
}

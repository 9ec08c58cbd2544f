import { type JsonObject } from '../../base/index.js';

/** The rule for the beginning of a text. All of it is JSON, since tokenizer.bin stores it. */
export type TextStartRule =
  | { readonly kind: 'none' }
  /** The text loses up to `count` of this character (ASCII) at its beginning. */
  | { readonly kind: 'strip'; readonly content: string; readonly count: number }
  /** The first token loses every such character; in other tokens it is a space. */
  | { readonly kind: 'first'; readonly replacement: string }
  /** While there is no text yet, a token loses one leading space; with `every` each such token does, else the first. */
  | { readonly kind: 'sentencepiece'; readonly every: boolean };

/**
 * How the bytes of tokens become text. `joined`: all in a row, with one U+FFFD for each maximal invalid part
 * (ByteLevel). The others have tokens of text and tokens of one byte. In a run of bytes that is not UTF-8, `runs` gives
 * one U+FFFD for each token (the ByteFallback decoder). `bytes` gives one for each byte outside a character
 * (sentencepiece).
 */
export type ByteRule = 'joined' | 'runs' | 'bytes';

/** A parsed `decoder` of tokenizer.json. */
export interface Decoder {
  readonly bytes: ByteRule;
  readonly start: TextStartRule;
  /** The byte of a token with this content, or -1. */
  byteOf(content: string): number;
  /** Whether tokens like `<0x0A>` are bytes. */
  readonly readsBytes: boolean;
  /** The decoded text of a token with this content, except at the beginning of a text. */
  textOf(content: string): string;
  /** The two texts, where `textOf` only replaces one by the other; undefined otherwise. */
  readonly replaces: Replacement | undefined;
}

/** A text that is not empty, and its replacement. */
export type Replacement = readonly [from: string, to: string];

/** One decoder of a chain. */
export type DecoderStep =
  | { readonly does: 'joinBytes' }
  | {
      readonly does: 'mapTokens';
      readonly map: (content: string) => string;
      readonly replaces?: Replacement;
      readonly start?: TextStartRule;
    }
  | { readonly does: 'readBytes'; readonly rule: ByteRule }
  | { readonly does: 'fuse' }
  | { readonly does: 'stripText'; readonly start: TextStartRule };

/** The part of the settings in tokenizer.bin for decoding. */
export interface DecoderSettings extends JsonObject {
  readonly bytes: ByteRule;
  readonly start: TextStartRule;
  /** The ids of the tokens that are one byte each. */
  readonly byteTokens: readonly number[];
}

import type { JsonObject } from '../json.js';

/** What becomes of the beginning of a text. All of it is JSON, since tokenizer.bin stores it. */
export type StartRule =
  | { readonly kind: 'none' }
  /** The text loses up to `count` of this character (ASCII) at its beginning. */
  | { readonly kind: 'strip'; readonly content: string; readonly count: number }
  /** The first token loses this character wherever it stands in it; elsewhere the character is a space. */
  | { readonly kind: 'first'; readonly replacement: string }
  /** While there is no text yet, a token loses one leading space; with `every` each such token does, else the first. */
  | { readonly kind: 'sentencepiece'; readonly every: boolean };

/**
 * How the bytes of tokens become text. `joined`: all in a row, with one U+FFFD for each maximal invalid part (ByteLevel).
 * The others have tokens of text and tokens of one byte; a run of the latter that is no UTF-8 gives one U+FFFD for each
 * token of the run (`runs`: the ByteFallback decoder), or for each byte that belongs to no character (`bytes`: sentencepiece).
 */
export type ByteRule = 'joined' | 'runs' | 'bytes';

/** What `decoder` of tokenizer.json says. */
export interface Decoder {
  readonly bytes: ByteRule;
  readonly start: StartRule;
  /** The byte that a token of this content stands for, or -1. */
  byteOf(content: string): number;
  /** Whether tokens like `<0x0A>` are bytes. */
  readonly readsBytes: boolean;
  /** What a token of this content decodes to, but for the beginning of a text. */
  textOf(content: string): string;
  /** Where `textOf` replaces one text by another and does nothing else, these two; undefined where it does more or nothing. */
  readonly replaces: Replacement | undefined;
}

/** What is replaced wherever it stands, not empty, and by what. */
export type Replacement = readonly [from: string, to: string];

/** One decoder of a chain. */
export type DecoderPart =
  | { readonly does: 'joinBytes' }
  | {
      readonly does: 'mapTokens';
      readonly map: (content: string) => string;
      readonly replaces?: Replacement;
      readonly start?: StartRule;
    }
  | { readonly does: 'readBytes'; readonly rule: ByteRule }
  | { readonly does: 'fuse' }
  | { readonly does: 'stripText'; readonly start: StartRule };

/** The part of the settings in tokenizer.bin that says how to decode. */
export interface DecoderSettings extends JsonObject {
  readonly bytes: ByteRule;
  readonly start: StartRule;
  /** The ids of the tokens that are one byte each. */
  readonly byteTokens: readonly number[];
}

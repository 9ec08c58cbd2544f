/**
 * Maps each byte of an answer's content to its token. It follows text through every stage that holds it back:
 * incomplete characters, possible tags in the parser, and possible stop strings.
 */

import { assert, decodedLength, present } from '../../base/index.js';
import type { TokenLogprobs } from '../../engine/index.js';

/**
 * A token's part of the content: its bytes without those of tags, trimmed newlines and stop strings. They are the
 * model's bytes, also where they are not well-formed and the content has U+FFFD.
 */
export interface TracedToken {
  readonly bytes: readonly number[];
  readonly logprobs: TokenLogprobs;
}

/** A token of the answer, identified by its position in it. */
export interface AnswerToken {
  readonly place: number;
  readonly logprobs: TokenLogprobs;
}

/** One code point and its bytes, each with its token; without text, the bytes of an incomplete character. */
interface Character {
  readonly text: string;
  readonly bytes: readonly OwnedByte[];
}

interface OwnedByte {
  readonly byte: number;
  readonly owner: AnswerToken;
}

/** Follows characters from `expect` and `read` (in), `take` or `skip` (parsed), `pass` (no stop string) to `release` (out). */
export class ContentTrace {
  /** Bytes without their text so far. */
  readonly #bytes: OwnedByte[] = [];
  readonly #unparsed: Character[] = [];
  #unparsedUnits = 0;
  readonly #content: Character[] = [];
  readonly #passed: Character[] = [];

  /** Expects the text of these bytes from the detokenizer. */
  expect(owner: AnswerToken, bytes: Uint8Array): void {
    for (const byte of bytes) this.#bytes.push({ byte, owner });
  }

  /** Assigns text to the bytes expected first. Malformed bytes come as U+FFFD. */
  read(text: string): void {
    const first = this.#bytes.map(({ byte }) => byte);
    let at = 0;
    for (const character of text) {
      const count = decodedLength(first, at);
      this.#add({ text: character, bytes: this.#bytes.slice(at, at + count) });
      at += count;
    }
    this.#bytes.splice(0, at);
  }

  /** Assigns a whole text to `owner`, as for an added token. */
  readAdded(text: string, owner: AnswerToken): void {
    for (const character of text) {
      this.#add({ text: character, bytes: Array.from(Buffer.from(character), (byte) => ({ byte, owner })) });
    }
  }

  /** The answer ended inside a character of its content: its bytes are reported without text. */
  cut(): void {
    const bytes = this.#bytes.splice(0);
    if (bytes.length > 0) this.#passed.push({ text: '', bytes });
  }

  /** The parser has given out `text` as content. */
  take(text: string): void {
    this.#content.push(...this.#find(text));
  }

  /** The parser has given out `text` as something else. */
  skip(text: string): void {
    this.#find(text);
  }

  /** At most the last `pending` UTF-16 units may still be given out. */
  settle(pending: number): void {
    this.#remove(this.#unparsedUnits - pending);
  }

  /** The next `units` of the content are before every stop string, or are one. */
  pass(units: number): void {
    this.#passed.push(...this.#content.splice(0, countCharacters(this.#content, units)));
  }

  /** Drops content behind a stop string, or content without a reader. */
  drop(): void {
    this.#remove(this.#unparsedUnits);
    this.#bytes.length = 0;
    this.#content.length = 0;
  }

  /**
   * The content that can be given out: only of complete tokens, so that every piece has whole tokens and whole
   * characters. `anyway`: all content that has passed, since something else follows.
   */
  release(anyway: boolean): { readonly text: string; readonly tokens: readonly TracedToken[] } {
    const { owner: open } = this.#content[0]?.bytes[0] ?? this.#unparsed[0]?.bytes[0] ?? this.#bytes[0] ?? {};
    const isDone = ({ bytes }: Character): boolean =>
      anyway || open === undefined || present(bytes.at(-1), 'a character has bytes').owner.place < open.place;
    const firstOpen = this.#passed.findIndex((character) => !isDone(character));
    const released = this.#passed.splice(0, firstOpen === -1 ? this.#passed.length : firstOpen);
    return { text: released.map(({ text }) => text).join(''), tokens: toTokens(released) };
  }

  /** Takes the characters of `text` off the unparsed ones, with the characters before them that the parser skipped. */
  #find(text: string): Character[] {
    const at = this.#unparsed
      .map((character) => character.text)
      .join('')
      .indexOf(text);
    assert(at !== -1, 'a parser hands text out as it was pushed');
    this.#remove(at);
    return this.#remove(text.length);
  }

  #add(character: Character): void {
    this.#unparsed.push(character);
    this.#unparsedUnits += character.text.length;
  }

  #remove(units: number): Character[] {
    if (units <= 0) return [];
    this.#unparsedUnits -= units;
    return this.#unparsed.splice(0, countCharacters(this.#unparsed, units));
  }
}

/** The number of characters in `units` UTF-16 units. */
function countCharacters(characters: readonly Character[], units: number): number {
  let count = 0;
  for (let left = units; left > 0 && count < characters.length; count++) left -= characters[count]?.text.length ?? 0;
  return count;
}

/** Neighbouring bytes of one token together. */
function toTokens(characters: readonly Character[]): TracedToken[] {
  const tokens: { readonly owner: AnswerToken; readonly bytes: number[] }[] = [];
  for (const { byte, owner } of characters.flatMap(({ bytes }) => bytes)) {
    const last = tokens.at(-1);
    if (last?.owner === owner) last.bytes.push(byte);
    else tokens.push({ owner, bytes: [byte] });
  }
  return tokens.map(({ owner, bytes }) => ({ bytes, logprobs: owner.logprobs }));
}

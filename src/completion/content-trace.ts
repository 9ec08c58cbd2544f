/**
 * Which token brought which byte of an answer's content, followed through everything that holds text back: bytes that
 * are no whole character yet, what the parser may still find to be a tag, what may become a stop string.
 */

import { assert, present } from '../base/index.js';
import type { TokenLogprobs } from '../engine/index.js';

/** A token's part of the content: all of its bytes, or those that no tag, trimmed newline or stop string took. */
export interface ContentToken {
  readonly bytes: readonly number[];
  readonly logprobs: TokenLogprobs;
}

/** A token of the answer, told by its place in it. */
export interface AnswerToken {
  readonly place: number;
  readonly logprobs: TokenLogprobs;
}

/** One code point and, for each of its UTF-8 bytes, the token that brought it. */
interface Character {
  readonly text: string;
  readonly owners: readonly AnswerToken[];
}

/** Follows characters from `expect` and `read` (in), `take` or `skip` (parsed), `pass` (no stop string) to `release` (out). */
export class ContentTrace {
  readonly #bytes: { readonly byte: number; readonly owner: AnswerToken }[] = [];
  /** The last token that bytes were expected of. */
  #last: AnswerToken | undefined;
  readonly #unparsed: Character[] = [];
  #unparsedUnits = 0;
  readonly #content: Character[] = [];
  readonly #passed: Character[] = [];

  /** Bytes whose text is yet to come from the detokenizer. */
  expect(owner: AnswerToken, bytes: Uint8Array): void {
    this.#last = owner;
    for (const byte of bytes) this.#bytes.push({ byte, owner });
  }

  /**
   * Text that has come, of the bytes that were expected. What is not well-formed comes as U+FFFD, and belongs to the
   * token with which that became certain.
   */
  read(text: string): void {
    const utf8 = Buffer.from(text);
    const isExact = utf8.length <= this.#bytes.length && utf8.every((byte, i) => byte === this.#bytes[i]?.byte);
    if (!isExact) {
      this.#bytes.length = 0;
      this.readAdded(text, present(this.#last, 'text comes of bytes'));
      return;
    }
    for (const character of text) {
      const sources = this.#bytes.splice(0, Buffer.byteLength(character));
      this.#add({ text: character, owners: sources.map(({ owner }) => owner) });
    }
  }

  /** Text that is `owner`'s as a whole, as an added token's is. */
  readAdded(text: string, owner: AnswerToken): void {
    for (const character of text) {
      this.#add({ text: character, owners: Array.from(Buffer.from(character), () => owner) });
    }
  }

  /** The parser has handed out `text` as content. */
  take(text: string): void {
    this.#content.push(...this.#find(text));
  }

  /** The parser has handed out `text` as something else. */
  skip(text: string): void {
    this.#find(text);
  }

  /** The last `pending` UTF-16 units at most may still be handed out. */
  settle(pending: number): void {
    this.#remove(this.#unparsedUnits - pending);
  }

  /** The next `units` of the content are before every stop string, or are it. */
  pass(units: number): void {
    this.#passed.push(...this.#content.splice(0, countCharacters(this.#content, units)));
  }

  /** What has not passed is behind a stop string, or nobody wants it. */
  drop(): void {
    this.#remove(this.#unparsedUnits);
    this.#bytes.length = 0;
    this.#content.length = 0;
  }

  /**
   * The content that can be given out: of tokens that are done with as a whole, so that every piece has whole tokens and
   * whole characters. `anyway`: all that has passed, since something else comes next.
   */
  release(anyway: boolean): { readonly text: string; readonly tokens: readonly ContentToken[] } {
    const open = this.#content[0]?.owners[0] ?? this.#unparsed[0]?.owners[0] ?? this.#bytes[0]?.owner;
    const isDone = ({ owners }: Character): boolean =>
      anyway || open === undefined || (owners.at(-1) as AnswerToken).place < open.place;
    const firstOpen = this.#passed.findIndex((character) => !isDone(character));
    const released = this.#passed.splice(0, firstOpen === -1 ? this.#passed.length : firstOpen);
    return { text: released.map(({ text }) => text).join(''), tokens: toTokens(released) };
  }

  /** Takes the characters of `text` off the unparsed ones, and those before them, which the parser has passed over. */
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

/** How many characters `units` UTF-16 units are. */
function countCharacters(characters: readonly Character[], units: number): number {
  let count = 0;
  for (let left = units; left > 0 && count < characters.length; count++) left -= characters[count]?.text.length ?? 0;
  return count;
}

/** Neighbouring bytes of one token together. */
function toTokens(characters: readonly Character[]): ContentToken[] {
  const tokens: { readonly owner: AnswerToken; readonly bytes: number[] }[] = [];
  for (const { text, owners } of characters) {
    Buffer.from(text).forEach((byte, i) => {
      const owner = owners[i];
      const last = tokens.at(-1);
      if (owner === undefined) return;
      if (last?.owner === owner) last.bytes.push(byte);
      else tokens.push({ owner, bytes: [byte] });
    });
  }
  return tokens.map(({ owner, bytes }) => ({ bytes, logprobs: owner.logprobs }));
}

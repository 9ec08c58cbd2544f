import { decodedLength } from '../../base/index.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';
import type { Decoding } from './decoding.js';
import { leadingCount } from './text-start.js';

const REPLACEMENT = [0xef, 0xbf, 0xbd];

/** Bytes that grow. */
class Bytes {
  #bytes: Uint8Array;
  #count = 0;

  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  /** Appends `from[start, end)`. */
  append(from: ArrayLike<number>, start: number, end: number): void {
    if (this.#count + end - start > this.#bytes.length) {
      const grown = new Uint8Array(2 * (this.#count + end - start));
      grown.set(this.#bytes.subarray(0, this.#count));
      this.#bytes = grown;
    }
    for (let at = start; at < end; at++) this.#bytes[this.#count++] = from[at] as number;
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#count);
  }
}

/** The text of `ids` in UTF-8, without those in `skip`; for the rule `joined` it may be ill-formed. */
export function joinTokens(
  ids: ArrayLike<number>,
  vocabulary: TokenVocabulary,
  decoding: Decoding,
  skip?: ReadonlySet<number>,
): Uint8Array {
  const { offsets, bytes, size } = vocabulary;
  const { isByte } = decoding;
  const joined = new Bytes(4 * ids.length + 64);
  const strips = decoding.start.kind === 'strip'; // as the reference does it: when the whole text is there
  const start = decoding.begin();
  const run: number[] = []; // bytes in a row that are to become characters
  const closeRun = (): void => {
    if (run.length === 0) return;
    appendRun(run, decoding.bytes === 'runs', joined);
    run.length = 0;
  };
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    if (!(id >= 0 && id < size)) continue;
    if (skip?.has(id) === true) {
      // In sentencepiece a control token has no text and still ends a run; elsewhere it is as if it were not there.
      if (decoding.bytes === 'bytes') closeRun();
      continue;
    }
    if (start.isOpen && !strips) {
      const taken = start.take(id);
      if (isByte[id] === 1) run.push(...taken);
      else {
        closeRun();
        joined.append(taken, 0, taken.length);
      }
    } else if (isByte[id] === 1) run.push(bytes[offsets[id] as number] as number);
    else {
      closeRun();
      joined.append(bytes, offsets[id] as number, offsets[id + 1] as number);
    }
  }
  closeRun();
  const text = joined.written();
  return decoding.start.kind === 'strip' ? text.subarray(leadingCount(text, decoding.start)) : text;
}

/** A run of byte tokens as characters. `whole`: one wrong byte spoils all of them, as in the ByteFallback decoder. */
function appendRun(run: readonly number[], whole: boolean, joined: Bytes): void {
  const lengths: number[] = []; // of characters; 0 for a byte that belongs to none
  for (let at = 0; at < run.length;) {
    const length = decodedLength(run, at);
    const isCharacter = length > 1 ? isWhole(run, at, length) : (run[at] as number) < 0x80;
    lengths.push(isCharacter ? length : 0);
    at += isCharacter ? length : 1;
  }
  const spoilt = whole && lengths.includes(0);
  let at = 0;
  for (const length of lengths) {
    const taken = Math.max(1, length);
    if (length > 0 && !spoilt) joined.append(run, at, at + taken);
    else for (let i = 0; i < taken; i++) joined.append(REPLACEMENT, 0, 3);
    at += taken;
  }
}

/** Whether the `length` bytes that `decodedLength` found are a whole character, and not the beginning of one. */
function isWhole(run: readonly number[], at: number, length: number): boolean {
  const first = run[at] as number;
  return length === (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);
}

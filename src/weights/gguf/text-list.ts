import { areWellFormed, present, type JoinedTexts } from '../../base/index.js';
import { ggufInvalid } from './invalid.js';

/** Bytes of a text that are copied at once. */
const LONG_TEXT = 64;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `bytes` as text. Errors: `checkpoint_invalid` where they are not UTF-8, with `where` and the name of the `file`. */
export function decodeText(bytes: Uint8Array, where: string, file: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw ggufInvalid(file, `${where} is not UTF-8`);
  }
}

/** The parts of a list of texts: data alone, which threads can share. */
export interface TextParts {
  readonly bytes: Uint8Array;
  /** [2 * length]: where each text begins and ends in `bytes`. */
  readonly bounds: Uint32Array;
  /** The name of the file, and what its texts are, for errors. */
  readonly file: string;
  readonly what: string;
}

/**
 * The texts of an array, decoded on demand: a vocabulary has hundreds of thousands, and opening a model needs a few.
 */
export class TextList {
  readonly parts: TextParts;
  readonly #bytes: Uint8Array;
  readonly #bounds: Uint32Array;
  #all: readonly string[] | undefined;

  constructor(parts: TextParts) {
    this.parts = parts;
    this.#bytes = parts.bytes;
    this.#bounds = parts.bounds;
  }

  get length(): number {
    return this.#bounds.length / 2;
  }

  /** Errors: `checkpoint_invalid` for a text that is not UTF-8, as in `toArray`. */
  at(index: number): string | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const start = present(this.#bounds[2 * index], 'in range');
    const { file, what } = this.parts;
    return decodeText(this.#bytes.subarray(start, this.#bounds[2 * index + 1]), `${what} at byte ${start}`, file);
  }

  /** The first place of each of `texts`, none of them empty, that is there. Decodes nothing, and goes through the list once. */
  placesOf(texts: readonly string[]): ReadonlyMap<string, number> {
    const wanted = texts.map((text) => ({ text, utf8: Buffer.from(text) }));
    const isFirst = new Uint8Array(256);
    for (const { utf8 } of wanted) isFirst[utf8[0] ?? 0] = 1;
    const bytes = this.#bytes;
    const places = new Map<string, number>();
    const bounds = this.#bounds;
    for (let i = 0; i < bounds.length; i += 2) {
      const start = bounds[i] as number;
      const end = bounds[i + 1] as number;
      if (isFirst[bytes[start] as number] === 0) continue;
      for (const { text, utf8 } of wanted) {
        if (utf8.length !== end - start || places.has(text)) continue;
        if (utf8.equals(bytes.subarray(start, end))) places.set(text, i / 2);
      }
    }
    return places;
  }

  /** All of them, as they are. Errors: `checkpoint_invalid` for a text that is not UTF-8. */
  toJoined(): JoinedTexts {
    const bounds = this.#bounds;
    const offsets = new Int32Array(this.length + 1);
    for (let i = 0; i < this.length; i++) {
      offsets[i + 1] = (offsets[i] as number) + (bounds[2 * i + 1] as number) - (bounds[2 * i] as number);
    }
    const bytes = new Uint8Array(offsets.at(-1) ?? 0);
    for (let i = 0; i < this.length; i++) {
      const start = bounds[2 * i] as number;
      const to = offsets[i] as number;
      const length = (offsets[i + 1] as number) - to;
      // A view for each of hundreds of thousands costs more than the few bytes of one.
      if (length > LONG_TEXT) bytes.set(this.#bytes.subarray(start, start + length), to);
      else for (let at = 0; at < length; at++) bytes[to + at] = this.#bytes[start + at] as number;
    }
    const joined = { bytes, offsets };
    // Which one it is, decoding tells.
    if (!areWellFormed(joined)) for (let i = 0; i < this.length; i++) this.at(i);
    return joined;
  }

  /** All of them; decoded once. */
  toArray(): readonly string[] {
    this.#all ??= Array.from({ length: this.length }, (_, i) => this.at(i) ?? '');
    return this.#all;
  }
}

import type { JoinedTexts } from '../../base/index.js';
import { hashOfBytes } from './byte-hash.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_PROBES } from '../limits.js';

/** Which of two tokens with the same content a vocabulary keeps: the other can never be met in a text. */
export type KeptToken = 'first' | 'last';

/**
 * The tokens of a vocabulary as it writes them, by id and by their bytes (open addressing). Flat tables: as strings and objects
 * the tokens of a large vocabulary take seconds and hundreds of megabytes.
 */
export class TokenContents {
  /** The ids of all tokens, in the order of the texts. */
  readonly ids: Int32Array;
  readonly bytes: Uint8Array;
  /** id → where the content of the token begins in `bytes`, or -1 for an id without a token. */
  readonly starts: Int32Array;
  /** id → where it ends. */
  readonly ends: Int32Array;
  /** One more than the largest id. */
  readonly idLimit: number;
  /** The texts, where the place of each is its id; else undefined. */
  readonly byId: JoinedTexts | undefined;
  readonly #texts: JoinedTexts;
  /** slot → text, or -1. */
  readonly #slots: Int32Array;
  /** text → id. */
  readonly #idOf: Int32Array;

  /**
   * `texts`: well-formed. `ids`: theirs, each once and below `MAX_VOCAB_SIZE`; absent: their places. Errors: `tokenizer_invalid`
   * for texts that were made to collide.
   */
  constructor(texts: JoinedTexts, ids?: Int32Array, kept: KeptToken = 'first') {
    const { bytes, offsets } = texts;
    const count = offsets.length - 1;
    let capacity = 8;
    while (capacity < 2 * count) capacity *= 2;
    const slots = new Int32Array(capacity).fill(-1);
    const idOf = ids?.slice() ?? placesUpTo(count);
    const keptTexts = new Int32Array(count);
    let numKept = 0;
    for (let text = 0; text < count; text++) {
      const slot = findSlot(texts, slots, bytes, offsets[text] as number, offsets[text + 1] as number);
      if (slot < 0) throw tokenizerInvalid('model.vocab', 'tokens are made to collide');
      const owner = slots[slot] as number;
      if (owner < 0) {
        slots[slot] = text;
        keptTexts[numKept++] = text;
      } else if (kept === 'last') idOf[owner] = idOf[text] as number;
    }
    const isWhole = ids === undefined && numKept === count;
    const byIds = isWhole ? byPlace(texts, idOf) : byIdsOf(texts, keptTexts.subarray(0, numKept), idOf);
    this.bytes = bytes;
    this.ids = byIds.ids;
    this.idLimit = byIds.starts.length;
    this.starts = byIds.starts;
    this.ends = byIds.ends;
    this.byId = isWhole ? texts : undefined;
    this.#texts = texts;
    this.#slots = slots;
    this.#idOf = idOf;
  }

  /** Whether a token has this id. */
  has(id: number): boolean {
    return (this.starts[id] ?? -1) >= 0;
  }

  /** The content of a token, or undefined. */
  contentOf(id: number): string | undefined {
    if (!this.has(id)) return undefined;
    return Buffer.from(this.bytes.subarray(this.starts[id], this.ends[id])).toString('utf8');
  }

  /** The id of the token whose content is `bytes[start, end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const slot = findSlot(this.#texts, this.#slots, bytes, start, end);
    const text = slot < 0 ? -1 : (this.#slots[slot] as number);
    return text < 0 ? -1 : (this.#idOf[text] as number);
  }

  /** The id of a token, or undefined. */
  idOf(content: string): number | undefined {
    const bytes = Buffer.from(content);
    const id = this.find(bytes, 0, bytes.length);
    return id < 0 ? undefined : id;
  }
}

/** The slot of a content, or the one where it would be; -1 when there is none within the limit. */
function findSlot(
  { bytes, offsets }: JoinedTexts,
  slots: Int32Array,
  wanted: Uint8Array,
  start: number,
  end: number,
): number {
  const mask = slots.length - 1;
  const count = end - start;
  let slot = hashOfBytes(wanted, count, start) & mask;
  for (let probes = 0; probes <= MAX_PROBES; probes++, slot = (slot + 1) & mask) {
    const text = slots[slot] as number;
    if (text < 0) return slot;
    const from = offsets[text] as number;
    if ((offsets[text + 1] as number) - from !== count) continue;
    let same = 0;
    while (same < count && bytes[from + same] === wanted[start + same]) same++;
    if (same === count) return slot;
  }
  return -1;
}

/** Start and end of the content of each id. */
type TablesById = Pick<TokenContents, 'ids' | 'starts' | 'ends'>;

/** For a vocabulary whose ids are indices: its own tables, since fresh memory takes longer than writing to it. */
function byPlace({ offsets }: JoinedTexts, ids: Int32Array): TablesById {
  return { ids, starts: offsets.subarray(0, ids.length), ends: offsets.subarray(1) };
}

/** Of the texts in `kept`. */
function byIdsOf({ offsets }: JoinedTexts, kept: Int32Array, idOf: Int32Array): TablesById {
  const ids = new Int32Array(kept.length);
  let limit = 0;
  for (let i = 0; i < kept.length; i++) {
    const id = idOf[kept[i] as number] as number;
    ids[i] = id;
    if (id >= limit) limit = id + 1;
  }
  const starts = new Int32Array(limit).fill(-1);
  const ends = new Int32Array(limit);
  for (let i = 0; i < kept.length; i++) {
    const text = kept[i] as number;
    const id = ids[i] as number;
    starts[id] = offsets[text] as number;
    ends[id] = offsets[text + 1] as number;
  }
  return { ids, starts, ends };
}

function placesUpTo(count: number): Int32Array {
  const places = new Int32Array(count);
  for (let i = 0; i < count; i++) places[i] = i;
  return places;
}

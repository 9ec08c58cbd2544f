import { MAX_CACHE_PROBES, MAX_CACHED_WORD_UNITS, MAX_CACHED_WORDS } from '../limits.js';

const SLOTS = 65_536;
const FIELDS = 5; // hash, place and length of the word, place and count of its ids
const WORD_UNITS = 1 << 19;
const WORD_IDS = 1 << 18;

/**
 * The ids of words seen before: an open-addressing table over two arenas, without strings. When anything is full it is
 * emptied and begun anew, so memory stays below some 4.5 MB. Made on first use, since many tokenizers never encode.
 */
export class WordCache {
  #slots = new Int32Array(0);
  #units = new Uint16Array(0);
  #ids = new Int32Array(0);
  #words = 0;
  #unitCount = 0;
  #idCount = 0;
  #slot = -1;
  #hash = 0;

  /** Appends the ids of the word `units[start, end)` to `out` when it is known; remembers where it belongs when not. */
  recall(units: Uint16Array, start: number, end: number, out: number[]): boolean {
    this.#slot = -1;
    const length = end - start;
    if (length > MAX_CACHED_WORD_UNITS) return false;
    if (this.#slots.length === 0) this.#clear();
    let hash = length;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (units[i] as number), 0x9e37_79b1) ^ (hash >>> 15);
    hash = (hash ^ (hash >>> 16)) | 1; // 0 marks an empty slot
    const slots = this.#slots;
    const known = this.#units;
    let slot = hash & (SLOTS - 1);
    for (let probes = 0; slots[slot * FIELDS] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
      if (probes++ === MAX_CACHE_PROBES) return false;
      const at = slot * FIELDS;
      if (slots[at] !== hash || slots[at + 2] !== length) continue;
      const place = slots[at + 1] as number;
      let same = 0;
      while (same < length && known[place + same] === units[start + same]) same++;
      if (same < length) continue;
      const first = slots[at + 3] as number;
      const count = slots[at + 4] as number;
      for (let i = 0; i < count; i++) out.push(this.#ids[first + i] as number);
      return true;
    }
    this.#slot = slot;
    this.#hash = hash;
    return false;
  }

  /** Keeps `out[from, …)` as the ids of the word that `recall` has just not found. */
  keep(units: Uint16Array, start: number, end: number, out: readonly number[], from: number): void {
    if (this.#slot < 0) return;
    const length = end - start;
    const count = out.length - from;
    const full =
      this.#words >= MAX_CACHED_WORDS || this.#unitCount + length > WORD_UNITS || this.#idCount + count > WORD_IDS;
    if (full) {
      this.#clear();
      this.#slot = this.#hash & (SLOTS - 1);
    }
    const at = this.#slot * FIELDS;
    this.#slots[at] = this.#hash;
    this.#slots[at + 1] = this.#unitCount;
    this.#slots[at + 2] = length;
    this.#slots[at + 3] = this.#idCount;
    this.#slots[at + 4] = count;
    for (let i = start; i < end; i++) this.#units[this.#unitCount++] = units[i] as number;
    for (let i = 0; i < count; i++) this.#ids[this.#idCount++] = out[from + i] as number;
    this.#words++;
  }

  #clear(): void {
    if (this.#slots.length === 0) {
      this.#slots = new Int32Array(SLOTS * FIELDS);
      this.#units = new Uint16Array(WORD_UNITS);
      this.#ids = new Int32Array(WORD_IDS);
    } else this.#slots.fill(0);
    this.#words = this.#unitCount = this.#idCount = 0;
  }
}

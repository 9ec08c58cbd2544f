/** Rows of int32 by their contents: equal rows have one id, counted from 0. */
export class RowTable {
  #data = new Int32Array(256);
  /** [rows + 1]: row `id` is `data[offsets[id], offsets[id + 1])`. */
  #offsets = new Int32Array(64);
  /** Open addressing, linear probes: an id, or -1. */
  #slots = new Int32Array(128).fill(-1);
  #size = 0;

  /** Rows so far. */
  get size(): number {
    return this.#size;
  }

  /** Int32 words of all rows. */
  get numWords(): number {
    return this.#offsets[this.#size] as number;
  }

  /** Start of row `id` in `data`. */
  startOf(id: number): number {
    return this.#offsets[id] as number;
  }

  /** End of row `id` in `data`. */
  endOf(id: number): number {
    return this.#offsets[id + 1] as number;
  }

  /** The words of all rows, until the next `intern`. */
  get data(): Int32Array {
    return this.#data;
  }

  /** The id of the row of the first `length` words of `row`: a new one where there is none. */
  intern(row: ArrayLike<number>, length: number): number {
    let slot = this.#hash(row, length);
    for (let id = this.#slots[slot] as number; id !== -1; id = this.#slots[slot] as number) {
      if (this.#equals(id, row, length)) return id;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return this.#add(row, length, slot);
  }

  #add(row: ArrayLike<number>, length: number, slot: number): number {
    const id = this.#size;
    const start = this.startOf(id);
    this.#data = withRoom(this.#data, start + length);
    this.#offsets = withRoom(this.#offsets, id + 2);
    for (let i = 0; i < length; i++) this.#data[start + i] = row[i] as number;
    this.#offsets[id + 1] = start + length;
    this.#slots[slot] = id;
    this.#size++;
    if (2 * this.#size > this.#slots.length) this.#spread();
    return id;
  }

  #equals(id: number, row: ArrayLike<number>, length: number): boolean {
    const start = this.startOf(id);
    if (this.endOf(id) - start !== length) return false;
    for (let i = 0; i < length; i++) if (this.#data[start + i] !== row[i]) return false;
    return true;
  }

  /** A multiplicative hash of 32 bits, folded. */
  #hash(row: ArrayLike<number>, length: number): number {
    let hash = length;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (row[i] as number), 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 16)) & (this.#slots.length - 1);
  }

  #spread(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(-1);
    for (let id = 0; id < this.#size; id++) {
      const row = this.#data.subarray(this.startOf(id), this.endOf(id));
      let slot = this.#hash(row, row.length);
      while (this.#slots[slot] !== -1) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = id;
    }
  }
}

/** `array` itself where it has `length` words, else a copy with room for twice as many. */
export function withRoom(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Int32Array(2 * length);
  larger.set(array);
  return larger;
}

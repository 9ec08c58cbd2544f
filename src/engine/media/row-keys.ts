import { nameOfRows, type MediaItem } from '../request.js';

/** Limit of media items with keys. The least recently used lose theirs, and their cached blocks are not found again. */
const MAX_ITEMS = 4096;

/**
 * Names the rows of prompts for the prefix cache: a token by its id, the rows of a media item by numbers below 0 that belong
 * to its digest. As token ids they are exact: two rows have one key only where they are equal.
 */
export class RowKeys {
  /** The first key of each item, the least recently used first; further rows have the numbers below it. */
  readonly #firsts = new Map<string, number>();
  #next = -1;

  /** The keys of `tokenIds`, of which `media` take the place of some: a list of its own. */
  of(tokenIds: readonly number[], media: readonly MediaItem[]): number[] {
    const keys = [...tokenIds];
    for (const item of media) {
      const first = this.#firstOf(item);
      for (let row = 0; row < item.rows; row++) keys[item.at + row] = first - row;
    }
    return keys;
  }

  #firstOf(item: MediaItem): number {
    const name = nameOfRows(item);
    const first = this.#firsts.get(name) ?? this.#next;
    if (first === this.#next) this.#next -= item.rows;
    this.#firsts.delete(name);
    this.#firsts.set(name, first);
    const [oldest] = this.#firsts.keys();
    if (this.#firsts.size > MAX_ITEMS && oldest !== undefined) this.#firsts.delete(oldest);
    return first;
  }
}

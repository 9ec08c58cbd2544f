import { assert, present } from '../base/index.js';

/** The free blocks of the KV cache. Ids are the same in every layer. Freed blocks are taken first: they are warm. */
export class BlockPool {
  readonly size: number;
  readonly #free: number[];
  readonly #taken: Uint8Array;

  constructor(size: number) {
    this.size = size;
    this.#free = Array.from({ length: size }, (_, i) => size - 1 - i);
    this.#taken = new Uint8Array(size);
  }

  get numFree(): number {
    return this.#free.length;
  }

  /** A block of one's own, or undefined when all are taken. */
  take(): number | undefined {
    const block = this.#free.pop();
    if (block !== undefined) this.#taken[block] = 1;
    return block;
  }

  /** Gives back blocks that were taken. */
  free(blocks: readonly number[]): void {
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = present(blocks[i], 'index in range');
      assert(this.#taken[block] === 1, `block ${block} is taken when it is freed`);
      this.#taken[block] = 0;
      this.#free.push(block);
    }
  }
}

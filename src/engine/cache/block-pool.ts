import { assert, present } from '../../base/index.js';

/**
 * The blocks of the KV cache, counted: a block may be held by several sequences, and one that nobody holds may still be
 * remembered for its content until its room is needed. Ids are the same in every layer. Every block is always in exactly
 * one state: held (count above 0), idle (remembered, least recently used first), or free.
 */
export class BlockPool {
  readonly size: number;
  readonly #holders: Int32Array;
  readonly #free: number[];
  /** Remembered blocks that nobody holds; a Map keeps the order in which they became idle. */
  readonly #idle = new Map<number, true>();
  readonly #remembered = new Set<number>();
  /** Hears that a remembered block is given to somebody else. */
  #onForget: (block: number) => void = () => {};

  constructor(size: number) {
    this.size = size;
    this.#holders = new Int32Array(size);
    this.#free = Array.from({ length: size }, (_, i) => size - 1 - i);
  }

  /** Blocks that could be taken now, remembered ones among them. */
  get numAvailable(): number {
    return this.#free.length + this.#idle.size;
  }

  /** Blocks that hold something remembered, whether held or idle. */
  get numRemembered(): number {
    return this.#remembered.size;
  }

  onForget(listener: (block: number) => void): void {
    this.#onForget = listener;
  }

  /** How many hold `block`. */
  holders(block: number): number {
    return present(this.#holders[block], 'block in range');
  }

  /** Whether nobody but its one holder has or will have anything of `block`: it may be written. */
  isOwn(block: number): boolean {
    return this.holders(block) === 1 && !this.#remembered.has(block);
  }

  /** A block of one's own, or undefined when all are held. Forgets the block that was idle longest when none is free. */
  take(): number | undefined {
    const block = this.#free.pop() ?? this.#forgetOldest();
    if (block !== undefined) this.#holders[block] = 1;
    return block;
  }

  /** One more holder of a block that is held or remembered. */
  share(block: number): void {
    const wasIdle = this.#idle.delete(block);
    assert(wasIdle || this.holders(block) > 0, `block ${block} is held or remembered when it is shared`);
    this.#holders[block] = this.holders(block) + 1;
  }

  /** Gives back one hold on each. Last blocks first, so that of a chain the end is forgotten before the beginning. */
  release(blocks: readonly number[]): void {
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = present(blocks[i], 'index in range');
      const holders = this.holders(block) - 1;
      assert(holders >= 0, `block ${block} is held when it is released`);
      this.#holders[block] = holders;
      if (holders > 0) continue;
      if (this.#remembered.has(block)) this.#idle.set(block, true);
      else this.#free.push(block);
    }
  }

  /** Keeps the content of a held block in mind after its last holder is gone. */
  remember(block: number): void {
    assert(this.holders(block) > 0, `block ${block} is held when it is remembered`);
    this.#remembered.add(block);
  }

  /** Keeps it in mind no longer; nobody is told. */
  forget(block: number): void {
    this.#remembered.delete(block);
    if (this.#idle.delete(block)) this.#free.push(block);
  }

  #forgetOldest(): number | undefined {
    const oldest = this.#idle.keys().next();
    if (oldest.done === true) return undefined;
    this.#idle.delete(oldest.value);
    this.#remembered.delete(oldest.value);
    this.#onForget(oldest.value);
    return oldest.value;
  }
}

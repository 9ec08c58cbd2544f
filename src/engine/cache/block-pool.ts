import { assert, present } from '../../base/index.js';

/**
 * The blocks of the KV cache, with reference counts. Several sequences may hold a block; a block without a holder may
 * stay cached until its space is needed. Ids are the same in every layer. Every block is always in exactly one state:
 * held (count above 0), idle (cached, least recently used first), or free.
 */
export class BlockPool {
  readonly size: number;
  readonly #holders: Int32Array;
  readonly #free: number[];
  /** Cached blocks without a holder; a Map keeps the order in which they became idle. */
  readonly #idle = new Map<number, true>();
  readonly #remembered = new Set<number>();
  /** Called when a cached block is taken for other content. */
  #onForget: (block: number) => void = () => {};

  constructor(size: number) {
    this.size = size;
    this.#holders = new Int32Array(size);
    this.#free = Array.from({ length: size }, (_, i) => size - 1 - i);
  }

  /** Blocks that could be taken now, cached ones among them. */
  get numAvailable(): number {
    return this.#free.length + this.#idle.size;
  }

  /** Blocks with cached content, held or idle. */
  get numRemembered(): number {
    return this.#remembered.size;
  }

  onForget(listener: (block: number) => void): void {
    this.#onForget = listener;
  }

  /** The number of holders of `block`. */
  holders(block: number): number {
    return present(this.#holders[block], 'block in range');
  }

  /** Whether `block` has one holder and is not cached: it may be written. */
  isOwn(block: number): boolean {
    return this.holders(block) === 1 && !this.#remembered.has(block);
  }

  /** A block with one holder, or undefined when all are held. Evicts the least recently used block when none is free. */
  take(): number | undefined {
    const block = this.#free.pop() ?? this.#forgetOldest();
    if (block !== undefined) this.#holders[block] = 1;
    return block;
  }

  /** Adds a holder to a block that is held or cached. */
  share(block: number): void {
    const wasIdle = this.#idle.delete(block);
    assert(wasIdle || this.holders(block) > 0, `block ${block} is held or remembered when it is shared`);
    this.#holders[block] = this.holders(block) + 1;
  }

  /** Removes one holder from each. Last blocks first, so that the end of a chain is evicted before its beginning. */
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

  /** Keeps a held block cached after its last holder has gone. */
  remember(block: number): void {
    assert(this.holders(block) > 0, `block ${block} is held when it is remembered`);
    this.#remembered.add(block);
  }

  /** Removes a block from the cache, without a call of `onForget`. */
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

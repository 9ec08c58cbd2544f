import { assert, present } from '../../base/index.js';
import { KV_BLOCK_TOKENS, type WindowPool } from '../../compute/index.js';
import { KvPool, NO_BLOCK } from './kv-pool.js';
import { PrefixCache, type CacheNode } from './prefix-cache.js';
import type { StateSlots } from './state-slots.js';
import { NO_CALLER, type Sequence } from '../sequence.js';

/** Copies the keys and values of one block over another, in every layer of a pool. */
export type CopyBlock = (from: number, to: number, pool: number) => void;

/** Gauges of the cache. */
export interface KvCacheStats {
  /** All blocks, of 32 tokens each; layers with windows may have blocks of their own. */
  readonly blocks: number;
  /** Of these, the blocks that no sequence holds. */
  readonly freeBlocks: number;
  /** Blocks that are cached for other requests, held or not. */
  readonly cachedBlocks: number;
}

/** Beside keys and values of all tokens: states of fixed size, and pools of layers with windows. */
export interface KvCacheOptions {
  readonly states?: StateSlots | undefined;
  readonly windows?: readonly WindowPool[];
  readonly maxRows?: number;
}

/**
 * The blocks of each sequence. Full blocks are cached by their tokens and shared. A cached or shared block is never
 * written: a sequence that must write it gets a copy first. A partial block is cached for its caller, whose next turn
 * begins with a copy of it. Requests without a caller have no such cache, since they may come from many.
 */
export class KvCache {
  /** The first keeps all tokens, the others those of a window. */
  readonly #pools: readonly KvPool[];
  readonly #prefixes: PrefixCache;
  /** Undefined where a model keeps nothing but keys and values. */
  readonly #states: StateSlots | undefined;

  /** `maxRows`: of one sequence in a step. */
  constructor(numBlocks: number, copyBlock: CopyBlock, { states, windows = [], maxRows = 1 }: KvCacheOptions = {}) {
    this.#states = states;
    this.#pools = [{ window: 0, blocks: numBlocks }, ...windows].map(
      (pool, index) => new KvPool(pool, maxRows, (from, to) => copyBlock(from, to, index)),
    );
    this.#prefixes = new PrefixCache(this.#pools);
  }

  get stats(): KvCacheStats {
    const pools = this.#pools.map(({ blocks }) => blocks);
    return {
      blocks: pools.reduce((sum, { size }) => sum + size, 0),
      freeBlocks: pools.reduce((sum, { numAvailable }) => sum + numAvailable, 0),
      cachedBlocks: pools.reduce((sum, { numRemembered }) => sum + numRemembered, 0),
    };
  }

  /**
   * Gives a sequence the blocks of its longest cached prefix, without tokens whose own outputs it needs. False, with
   * nothing taken, when its remaining blocks would not fit beside those that `running` sequences still need.
   */
  admit(sequence: Sequence, running: readonly Sequence[]): boolean {
    const { cacheRoot, rowKeys, numReusable } = sequence;
    const states = this.#states;
    const isEnd = states && ((node: CacheNode) => states.has(node));
    const { tables, nodes } = this.#prefixes.match(cacheRoot, rowKeys, numReusable, isEnd);
    const missing = this.#pools.map((pool, index) => pool.missing(tables[index] ?? [], sequence.numToHold));
    const isRoom = this.#fits(missing, running);
    const state = isRoom ? states?.open(nodes.at(-1)) : undefined;
    if (!isRoom || (states !== undefined && state === undefined)) {
      this.#release(tables);
      return false;
    }
    sequence.state = state;
    sequence.tables = tables;
    sequence.numComputed = nodes.length * KV_BLOCK_TOKENS;
    sequence.numRemembered = nodes.length;
    sequence.cacheNode = nodes.at(-1) ?? cacheRoot;
    this.#copyBeginning(sequence);
    if (sequence.numGenerated === 0) sequence.numCached ??= sequence.numComputed;
    return true;
  }

  /**
   * Shares all blocks of `from`, which has the same prompt, with a partial last block; or admits `to` where `from` has given
   * some back. False, with nothing taken, when the remaining blocks of `to` would not fit beside those of `running`.
   */
  fork(from: Sequence, to: Sequence, running: readonly Sequence[]): boolean {
    const shared = to.promptLength - 1;
    const tables = this.#pools.flatMap((pool, index) => {
      const seen = pool.seen(tableOf(from, index), shared);
      return seen === undefined ? [] : [seen];
    });
    // The state of `from` is that after its last token.
    if (this.#states !== undefined || tables.length < this.#pools.length) return this.admit(to, running);
    // The last block, which both will write, is copied.
    const copied = Number(shared % KV_BLOCK_TOKENS > 0);
    const missing = this.#pools.map((pool, index) => pool.missing(tables[index] ?? [], to.numToHold) + copied);
    if (!this.#fits(missing, running)) return false;
    assert(from.numComputed >= shared && to.tables.length === 0, 'a fork begins behind a computed prompt');
    this.#pools.forEach((pool, index) => pool.share(tables[index] ?? []));
    to.tables = tables;
    to.numComputed = shared;
    to.cacheNode = to.cacheRoot;
    to.numRemembered = 0;
    to.numCached ??= shared;
    return true;
  }

  /** Whether each pool has so many blocks beside those that `running` sequences still need for their tokens. */
  #fits(missing: readonly number[], running: readonly Sequence[]): boolean {
    return this.#pools.every((pool, index) => {
      const promised = running.reduce((sum, { tables, numComputed, numToHold }) => {
        const table = tables[index] ?? [];
        const isCopied = pool.isCopied(table, Math.floor(numComputed / KV_BLOCK_TOKENS));
        return sum + pool.missing(table, numToHold) + Number(isCopied);
      }, 0);
      return (missing[index] ?? 0) + promised <= pool.blocks.numAvailable;
    });
  }

  /**
   * Makes space for `count` more tokens, with no shared block among the written ones. Of those at most `rows` go through the
   * model at once. False when no block or no slot for its state is left.
   */
  reserve(sequence: Sequence, count: number, rows = count): boolean {
    if (this.#states !== undefined && sequence.state === undefined) {
      sequence.state = this.#states.open(undefined);
      if (sequence.state === undefined) return false;
    }
    return this.#pools.every((pool, index) => pool.extend(tableOf(sequence, index), sequence.numComputed, count, rows));
  }

  /** Caches the blocks that have become full. Call after their tokens were accepted. */
  remember(sequence: Sequence): void {
    while ((sequence.numRemembered + 1) * KV_BLOCK_TOKENS <= sequence.numComputed) {
      const blocks = sequence.tables.map((table) =>
        present(table[sequence.numRemembered], 'computed tokens have blocks'),
      );
      const start = sequence.numRemembered * KV_BLOCK_TOKENS;
      const keys = sequence.rowKeys.slice(start, start + KV_BLOCK_TOKENS);
      sequence.cacheNode = this.#prefixes.add(sequence.cacheNode, keys, blocks, sequence.caller);
      sequence.numRemembered++;
      this.#keepCheckpoint(sequence);
    }
  }

  /**
   * Slots for the states at ends of blocks that the next `count` tokens of a sequence fill: [token's index in them, slot]. They
   * become checkpoints with `remember`.
   */
  checkpoints(sequence: Sequence, count: number): readonly (readonly [number, number])[] {
    const { numComputed, promptLength, pending } = sequence;
    if (this.#states === undefined) return [];
    const taken: [number, number][] = [];
    const first = Math.floor(numComputed / KV_BLOCK_TOKENS) + 1;
    for (let block = first; block * KV_BLOCK_TOKENS <= numComputed + count; block++) {
      if (!isCheckpoint(block, promptLength)) continue;
      const slot = this.#states.take();
      if (slot === undefined) break;
      pending.set(block, slot);
      taken.push([block * KV_BLOCK_TOKENS - numComputed - 1, slot]);
    }
    return taken;
  }

  /** The state at the end of the block that was cached last becomes a checkpoint; one of its answer replaces that before. */
  #keepCheckpoint(sequence: Sequence): void {
    const { numRemembered: block, cacheNode, pending, promptLength } = sequence;
    const slot = pending.get(block);
    if (slot === undefined || this.#states === undefined) return;
    pending.delete(block);
    this.#states.keep(cacheNode, slot);
    if (block * KV_BLOCK_TOKENS <= promptLength) return;
    if (sequence.answerCheckpoint !== undefined) this.#states.forget(sequence.answerCheckpoint);
    sequence.answerCheckpoint = cacheNode;
  }

  /** Releases every block, as `drop`, and caches the computed tokens. */
  retire(sequence: Sequence): void {
    this.remember(sequence);
    this.#rememberRest(sequence);
    this.drop(sequence);
  }

  /**
   * Releases every block and removes them from the cache: the sequence's numbers are broken, and no other may continue
   * from them.
   */
  reject(sequence: Sequence): void {
    sequence.tables.forEach((table, pool) => {
      for (const block of table) this.#prefixes.forget(pool, block);
    });
    this.drop(sequence);
  }

  /** Releases every block: the sequence must be computed again to go on. */
  drop(sequence: Sequence): void {
    this.#release(sequence.tables);
    for (const slot of [sequence.state, ...sequence.pending.values()]) {
      if (slot !== undefined) this.#states?.release(slot);
    }
    sequence.state = undefined;
    sequence.pending.clear();
    sequence.answerCheckpoint = undefined;
    sequence.tables = [];
    sequence.numComputed = 0;
    sequence.numRemembered = 0;
    sequence.cacheNode = sequence.cacheRoot;
  }

  /** Fills the beginning of the next block from the caller's own cached blocks. */
  #copyBeginning(sequence: Sequence): void {
    const { numComputed, numReusable, rowKeys, cacheNode, caller } = sequence;
    // The state is only known at ends of blocks.
    if (caller === NO_CALLER || this.#states !== undefined) return;
    const wanted = rowKeys.slice(numComputed, Math.min(numComputed + KV_BLOCK_TOKENS, numReusable));
    const found = this.#prefixes.beginning(cacheNode, wanted, caller);
    if (found === undefined) return;
    // Held meanwhile, so that they are not evicted themselves.
    const held = found.blocks.map((block) => [block]);
    this.#pools.forEach((pool, index) => pool.share(held[index] ?? []));
    const isCopied = this.#pools.every((pool, index) =>
      pool.append(tableOf(sequence, index), present(found.blocks[index], 'a block of each pool')),
    );
    // A pool without space leaves the copies of others: they are written over.
    if (isCopied) sequence.numComputed += found.count;
    this.#release(held);
  }

  /** Caches the last, partial block for a caller that may go on. */
  #rememberRest({ numRemembered, numComputed, rowKeys, tables, cacheNode, caller, pool }: Sequence): void {
    if (caller === NO_CALLER || pool !== undefined || this.#states !== undefined) return;
    const rest = rowKeys.slice(numRemembered * KV_BLOCK_TOKENS, numComputed);
    const blocks = tables.map((table) => table[numRemembered] ?? NO_BLOCK);
    const areOwn = this.#pools.every((each, index) => each.isOwn(blocks[index]));
    if (rest.length > 0 && areOwn) this.#prefixes.addBeginning(cacheNode, rest, blocks, caller);
  }

  #release(tables: readonly (readonly number[])[]): void {
    this.#pools.forEach((pool, index) => pool.release(tables[index] ?? []));
  }
}

/** The blocks of a sequence in a pool. */
function tableOf({ tables }: Sequence, pool: number): number[] {
  return (tables[pool] ??= []);
}

/**
 * Whether the state at the end of the sequence's `block`th block is kept. Of a prompt the last one is, where the same request
 * goes on, and powers of two, where others may. Of an answer each is: there the next turn goes on.
 */
function isCheckpoint(block: number, promptLength: number): boolean {
  const last = Math.floor((promptLength - 1) / KV_BLOCK_TOKENS);
  return block >= last || Number.isInteger(Math.log2(block));
}

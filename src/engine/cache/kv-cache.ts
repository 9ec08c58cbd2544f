import { assert, present } from '../../base/index.js';
import { blocksFor, KV_BLOCK_TOKENS } from '../../compute/index.js';
import { BlockPool } from './block-pool.js';
import { PrefixCache, type PrefixMatch } from './prefix-cache.js';
import type { StateSlots } from './state-slots.js';
import { NO_CALLER, type Sequence } from '../sequence.js';

/** Copies the keys and values of one block over another, in every layer. */
export type CopyBlock = (from: number, to: number) => void;

/** Gauges of the cache. */
export interface KvCacheStats {
  /** All blocks, of 32 tokens each. */
  readonly blocks: number;
  /** Of these, the blocks that no sequence holds. */
  readonly freeBlocks: number;
  /** Blocks that are cached for other requests, held or not. */
  readonly cachedBlocks: number;
}

/**
 * The blocks of each sequence. Full blocks are cached by their tokens and shared. A cached or shared block is never
 * written: a sequence that must write it gets a copy first. A partial block is cached for its caller, whose next turn
 * begins with a copy of it. Requests without a caller have no such cache, since they may come from many.
 */
export class KvCache {
  readonly #pool: BlockPool;
  readonly #prefixes: PrefixCache;
  readonly #copyBlock: CopyBlock;
  /** Undefined where a model keeps nothing but keys and values. */
  readonly #states: StateSlots | undefined;

  constructor(numBlocks: number, copyBlock: CopyBlock, states?: StateSlots) {
    this.#states = states;
    this.#pool = new BlockPool(numBlocks);
    this.#prefixes = new PrefixCache(this.#pool);
    this.#copyBlock = copyBlock;
  }

  get stats(): KvCacheStats {
    const { size, numAvailable, numRemembered } = this.#pool;
    return { blocks: size, freeBlocks: numAvailable, cachedBlocks: numRemembered };
  }

  /**
   * Gives a sequence the blocks of its longest cached prefix, without tokens whose own outputs it needs. False, with
   * nothing taken, when its remaining blocks would not fit beside `promised` blocks.
   */
  admit(sequence: Sequence, promised: number): boolean {
    const match = this.#prefixes.match(sequence.cacheRoot, sequence.tokenIds, sequence.numReusable);
    const { blocks, nodes } = this.#states === undefined ? match : this.#upToCheckpoint(match, this.#states);
    const node = nodes.at(-1) ?? sequence.cacheRoot;
    const missing = blocksFor(sequence.numToHold) - blocks.length;
    const isRoom = missing + promised <= this.#pool.numAvailable;
    const state = isRoom ? this.#states?.open(nodes.at(-1)) : undefined;
    if (!isRoom || (this.#states !== undefined && state === undefined)) {
      this.#pool.release(blocks);
      return false;
    }
    sequence.state = state;
    sequence.blocks = blocks;
    sequence.numComputed = blocks.length * KV_BLOCK_TOKENS;
    sequence.numRemembered = blocks.length;
    sequence.cacheNode = node;
    this.#copyBeginning(sequence);
    if (sequence.numGenerated === 0) sequence.numCached ??= sequence.numComputed;
    return true;
  }

  /**
   * Shares all blocks of `from`, which has the same prompt, with a partial last block. False, with nothing taken, when
   * the remaining blocks of `to` would not fit beside `promised` blocks.
   */
  fork(from: Sequence, to: Sequence, promised: number): boolean {
    // The state of `from` is that after its last token.
    if (this.#states !== undefined) return this.admit(to, promised);
    const shared = to.promptLength - 1;
    // The last block, which both will write, is copied.
    const missing = blocksFor(to.numToHold) - Math.floor(shared / KV_BLOCK_TOKENS);
    if (missing + promised > this.#pool.numAvailable) return false;
    assert(from.numComputed >= shared && to.blocks.length === 0, 'a fork begins behind a computed prompt');
    to.blocks = from.blocks.slice(0, blocksFor(shared));
    for (const block of to.blocks) this.#pool.share(block);
    to.numComputed = shared;
    to.cacheNode = to.cacheRoot;
    to.numRemembered = 0;
    to.numCached ??= shared;
    return true;
  }

  /** Blocks that a sequence still needs for its tokens; a shared one is copied before it is written. */
  missing({ blocks, numComputed, numToHold }: Sequence): number {
    const next = blocks[Math.floor(numComputed / KV_BLOCK_TOKENS)];
    const isCopied = next !== undefined && !this.#pool.isOwn(next);
    return Math.max(0, blocksFor(numToHold) - blocks.length) + Number(isCopied);
  }

  /**
   * Makes space for `count` more tokens, with no shared block among the written ones. False when no block or no slot for its
   * state is left.
   */
  reserve(sequence: Sequence, count: number): boolean {
    if (this.#states !== undefined && sequence.state === undefined) {
      sequence.state = this.#states.open(undefined);
      if (sequence.state === undefined) return false;
    }
    const needed = blocksFor(sequence.numComputed + count);
    while (sequence.blocks.length < needed) {
      const block = this.#pool.take();
      if (block === undefined) return false;
      sequence.blocks.push(block);
    }
    return this.#own(sequence, Math.floor(sequence.numComputed / KV_BLOCK_TOKENS));
  }

  /** Caches the blocks that have become full. Call after their tokens were accepted. */
  remember(sequence: Sequence): void {
    while ((sequence.numRemembered + 1) * KV_BLOCK_TOKENS <= sequence.numComputed) {
      const block = present(sequence.blocks[sequence.numRemembered], 'computed tokens have blocks');
      const start = sequence.numRemembered * KV_BLOCK_TOKENS;
      const tokenIds = sequence.tokenIds.slice(start, start + KV_BLOCK_TOKENS);
      sequence.cacheNode = this.#prefixes.add(sequence.cacheNode, tokenIds, block, sequence.caller);
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

  /** The part of a prefix that ends at a checkpoint; the other blocks are released. */
  #upToCheckpoint({ blocks, nodes }: PrefixMatch, states: StateSlots): PrefixMatch {
    const kept = nodes.findLastIndex((node) => states.has(node)) + 1;
    this.#pool.release(blocks.slice(kept));
    return { blocks: blocks.slice(0, kept), nodes: nodes.slice(0, kept) };
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
    for (const block of sequence.blocks) this.#prefixes.forget(block);
    this.drop(sequence);
  }

  /** Releases every block: the sequence must be computed again to go on. */
  drop(sequence: Sequence): void {
    this.#pool.release(sequence.blocks);
    for (const slot of [sequence.state, ...sequence.pending.values()]) {
      if (slot !== undefined) this.#states?.release(slot);
    }
    sequence.state = undefined;
    sequence.pending.clear();
    sequence.answerCheckpoint = undefined;
    sequence.blocks = [];
    sequence.numComputed = 0;
    sequence.numRemembered = 0;
    sequence.cacheNode = sequence.cacheRoot;
  }

  /** Fills the beginning of the next block from the caller's own cached blocks. */
  #copyBeginning(sequence: Sequence): void {
    const { numComputed, numReusable, tokenIds, cacheNode, caller } = sequence;
    // The state is only known at ends of blocks.
    if (caller === NO_CALLER || this.#states !== undefined) return;
    const wanted = tokenIds.slice(numComputed, Math.min(numComputed + KV_BLOCK_TOKENS, numReusable));
    const found = this.#prefixes.beginning(cacheNode, wanted, caller);
    if (found === undefined) return;
    // Held meanwhile, so that it is not evicted itself.
    this.#pool.share(found.block);
    const own = this.#pool.take();
    if (own !== undefined) {
      this.#copyBlock(found.block, own);
      sequence.blocks.push(own);
      sequence.numComputed += found.count;
    }
    this.#pool.release([found.block]);
  }

  /** Caches the last, partial block for a caller that may go on. */
  #rememberRest({ numRemembered, numComputed, tokenIds, blocks, cacheNode, caller, pool }: Sequence): void {
    if (caller === NO_CALLER || pool !== undefined || this.#states !== undefined) return;
    const rest = tokenIds.slice(numRemembered * KV_BLOCK_TOKENS, numComputed);
    const block = blocks[numRemembered];
    if (rest.length > 0 && block !== undefined && this.#pool.isOwn(block))
      this.#prefixes.addBeginning(cacheNode, rest, block, caller);
  }

  /** Copy on write: the block at `index` becomes the sequence's own. */
  #own(sequence: Sequence, index: number): boolean {
    const shared = sequence.blocks[index];
    if (shared === undefined || this.#pool.isOwn(shared)) return true;
    const own = this.#pool.take();
    if (own === undefined) return false;
    this.#copyBlock(shared, own);
    this.#pool.release([shared]);
    sequence.blocks[index] = own;
    return true;
  }
}

/**
 * Whether the state at the end of the sequence's `block`th block is kept. Of a prompt the last one is, where the same request
 * goes on, and powers of two, where others may. Of an answer each is: there the next turn goes on.
 */
function isCheckpoint(block: number, promptLength: number): boolean {
  const last = Math.floor((promptLength - 1) / KV_BLOCK_TOKENS);
  return block >= last || Number.isInteger(Math.log2(block));
}

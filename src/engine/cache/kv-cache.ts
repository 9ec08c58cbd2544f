import { assert, present } from '../../base/index.js';
import { blocksFor, KV_BLOCK_TOKENS } from '../../compute/index.js';
import { BlockPool } from './block-pool.js';
import { PrefixCache } from './prefix-cache.js';
import { NOBODY, type Sequence } from '../sequence.js';

/** Copies the keys and values of one block over another, in every layer. */
export type CopyBlock = (from: number, to: number) => void;

/** Gauges of the cache. */
export interface KvCacheStats {
  /** Blocks of 32 tokens in all. */
  readonly blocks: number;
  /** Of these, the ones that hold nothing that is needed. */
  readonly freeBlocks: number;
  /** Blocks whose content is remembered for other requests, held or not. */
  readonly cachedBlocks: number;
}

/**
 * Which blocks each sequence holds. Full blocks are remembered by their tokens and shared; a block that is remembered or
 * that several hold is never written: whoever has to, gets a copy first. A block that did not become full is remembered for
 * its caller, whose next turn begins with a copy of it; not for nobody in particular, who may be many.
 */
export class KvCache {
  readonly #pool: BlockPool;
  readonly #prefixes: PrefixCache;
  readonly #copyBlock: CopyBlock;

  constructor(numBlocks: number, copyBlock: CopyBlock) {
    this.#pool = new BlockPool(numBlocks);
    this.#prefixes = new PrefixCache(this.#pool);
    this.#copyBlock = copyBlock;
  }

  get stats(): KvCacheStats {
    const { size, numAvailable, numRemembered } = this.#pool;
    return { blocks: size, freeBlocks: numAvailable, cachedBlocks: numRemembered };
  }

  /**
   * Gives a sequence the blocks of the longest prefix that is remembered, of tokens that it need not compute for their own
   * sake. False, with nothing taken, when the rest of what it must hold would not fit beside `promised` blocks.
   */
  admit(sequence: Sequence, promised: number): boolean {
    const { blocks, node } = this.#prefixes.match(sequence.cacheRoot, sequence.tokenIds, sequence.numReusable);
    const missing = blocksFor(sequence.numToHold) - blocks.length;
    if (missing + promised > this.#pool.numAvailable) {
      this.#pool.release(blocks);
      return false;
    }
    sequence.blocks = blocks;
    sequence.numComputed = blocks.length * KV_BLOCK_TOKENS;
    sequence.numRemembered = blocks.length;
    sequence.cacheNode = node;
    this.#copyBeginning(sequence);
    if (sequence.numGenerated === 0) sequence.numCached ??= sequence.numComputed;
    return true;
  }

  /**
   * Shares everything that `from` has computed of the same prompt, its last block half full. False, with nothing taken,
   * when the rest of what it must hold would not fit beside `promised` blocks.
   */
  fork(from: Sequence, to: Sequence, promised: number): boolean {
    const shared = to.promptLength - 1;
    // The last one, which others write too, is copied.
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

  /** Blocks that a sequence has still to take for what it must hold; one that others have too is copied before it is written. */
  missing({ blocks, numComputed, numToHold }: Sequence): number {
    const next = blocks[Math.floor(numComputed / KV_BLOCK_TOKENS)];
    const isCopied = next !== undefined && !this.#pool.isOwn(next);
    return Math.max(0, blocksFor(numToHold) - blocks.length) + Number(isCopied);
  }

  /** Makes room for `count` more tokens, with no block among those written that others hold. False when none is left. */
  reserve(sequence: Sequence, count: number): boolean {
    const needed = blocksFor(sequence.numComputed + count);
    while (sequence.blocks.length < needed) {
      const block = this.#pool.take();
      if (block === undefined) return false;
      sequence.blocks.push(block);
    }
    return this.#own(sequence, Math.floor(sequence.numComputed / KV_BLOCK_TOKENS));
  }

  /** Remembers the blocks that have become full. Call after tokens were computed for good. */
  remember(sequence: Sequence): void {
    while ((sequence.numRemembered + 1) * KV_BLOCK_TOKENS <= sequence.numComputed) {
      const block = present(sequence.blocks[sequence.numRemembered], 'computed tokens have blocks');
      const start = sequence.numRemembered * KV_BLOCK_TOKENS;
      const tokenIds = sequence.tokenIds.slice(start, start + KV_BLOCK_TOKENS);
      sequence.cacheNode = this.#prefixes.add(sequence.cacheNode, tokenIds, block, sequence.caller);
      sequence.numRemembered++;
    }
  }

  /** Takes every block away, as `drop`; what the sequence has computed is remembered. */
  retire(sequence: Sequence): void {
    this.remember(sequence);
    this.#rememberRest(sequence);
    this.drop(sequence);
  }

  /** Takes every block away, and forgets what they hold: its numbers are broken, and nobody is to go on from them. */
  reject(sequence: Sequence): void {
    for (const block of sequence.blocks) this.#prefixes.forget(block);
    this.drop(sequence);
  }

  /** Takes every block away: the sequence must be computed again to go on. */
  drop(sequence: Sequence): void {
    this.#pool.release(sequence.blocks);
    sequence.blocks = [];
    sequence.numComputed = 0;
    sequence.numRemembered = 0;
    sequence.cacheNode = sequence.cacheRoot;
  }

  /** Begins the next block with what the caller's own blocks have of its tokens. */
  #copyBeginning(sequence: Sequence): void {
    const { numComputed, numReusable, tokenIds, cacheNode, caller } = sequence;
    if (caller === NOBODY) return;
    const wanted = tokenIds.slice(numComputed, Math.min(numComputed + KV_BLOCK_TOKENS, numReusable));
    const found = this.#prefixes.beginning(cacheNode, wanted, caller);
    if (found === undefined) return;
    // Held, so that it is not itself the block that is taken.
    this.#pool.share(found.block);
    const own = this.#pool.take();
    if (own !== undefined) {
      this.#copyBlock(found.block, own);
      sequence.blocks.push(own);
      sequence.numComputed += found.count;
    }
    this.#pool.release([found.block]);
  }

  /** Remembers the last block, which is not full, for a caller who may go on. */
  #rememberRest({ numRemembered, numComputed, tokenIds, blocks, cacheNode, caller, pool }: Sequence): void {
    if (caller === NOBODY || pool !== undefined) return;
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

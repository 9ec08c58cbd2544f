import { present } from '../../base/index.js';
import { blocksFor, KV_BLOCK_TOKENS, spanBlocks } from '../../compute/index.js';
import { BlockPool } from './block-pool.js';

/** The entry of a table in place of a block that its sequence has given back, because it lies behind the window. */
export const NO_BLOCK = -1;

/**
 * The blocks of the layers that see so many tokens. A table has the blocks of one sequence in order: token i lies in its
 * entry i / 32. Blocks behind the window are given back while the sequence goes on.
 */
export class KvPool {
  readonly blocks: BlockPool;
  /** Tokens that a row sees, itself included; 0 is all. */
  readonly #window: number;
  readonly #copy: (from: number, to: number) => void;
  /** Most blocks of a sequence at a time. */
  readonly #span: number;

  /** `maxRows`: of one sequence in a step. `copy` copies a block over another in every layer of the pool. */
  constructor(
    { window, blocks }: { readonly window: number; readonly blocks: number },
    maxRows: number,
    copy: (from: number, to: number) => void,
  ) {
    this.blocks = new BlockPool(blocks);
    this.#window = window;
    this.#span = window === 0 ? Infinity : spanBlocks(window, maxRows);
    this.#copy = copy;
  }

  /** The first block that the row at `position` and later ones see. */
  firstSeen(position: number): number {
    if (this.#window === 0) return 0;
    return Math.floor(Math.max(0, position - this.#window + 1) / KV_BLOCK_TOKENS);
  }

  /** Blocks that `table` lacks on the way to `numTokens`. */
  missing(table: readonly number[], numTokens: number): number {
    const first = this.#firstHeld(table);
    return Math.max(0, Math.min(blocksFor(numTokens) - first, this.#span) - (table.length - first));
  }

  /**
   * Makes space for `count` tokens from `position` on, of which `rows` go through the model at once. False when no block is
   * left.
   */
  extend(table: number[], position: number, count: number, rows: number): boolean {
    this.#trim(table, position);
    const most = this.#window === 0 ? count : Math.min(count, spanBlocks(this.#window, rows) * KV_BLOCK_TOKENS);
    const needed = blocksFor(position + most);
    while (table.length < needed) {
      const block = this.blocks.take();
      if (block === undefined) return false;
      table.push(block);
    }
    return this.#own(table, Math.floor(position / KV_BLOCK_TOKENS));
  }

  /** Whether the entry at `index` is a block that others may read: it is copied before it is written. */
  isCopied(table: readonly number[], index: number): boolean {
    const block = table[index];
    return block !== undefined && !this.isOwn(block);
  }

  /** Whether an entry is a block that has one holder and is not cached. */
  isOwn(block: number | undefined): boolean {
    return block !== undefined && block !== NO_BLOCK && this.blocks.isOwn(block);
  }

  /** The blocks of `table` that rows from `position` on see; undefined where one of them was given back. */
  seen(table: readonly number[], position: number): number[] | undefined {
    const first = this.firstSeen(position);
    const seen = table.slice(0, blocksFor(position)).map((block, i) => (i < first ? NO_BLOCK : block));
    return seen.includes(NO_BLOCK, first) ? undefined : seen;
  }

  /** Adds a holder to each block of a table. */
  share(table: readonly number[]): void {
    for (const block of table) if (block !== NO_BLOCK) this.blocks.share(block);
  }

  /** Removes a holder from each block of a table. */
  release(table: readonly number[]): void {
    this.blocks.release(table.filter((block) => block !== NO_BLOCK));
  }

  /** Appends a copy of `block`. False when no block is left. */
  append(table: number[], block: number): boolean {
    const own = this.blocks.take();
    if (own === undefined) return false;
    this.#copy(block, own);
    table.push(own);
    return true;
  }

  /** Gives the blocks back that the row at `position` does not see. The earliest become idle first: they are evicted first. */
  #trim(table: number[], position: number): void {
    const gone: number[] = [];
    const first = this.#firstHeld(table);
    for (let i = Math.min(this.firstSeen(position), table.length) - 1; i >= first; i--) {
      gone.push(present(table[i], 'index in range'));
      table[i] = NO_BLOCK;
    }
    this.blocks.release(gone);
  }

  /** Copy on write: the block at `index` becomes the sequence's own. */
  #own(table: number[], index: number): boolean {
    const shared = table[index];
    if (shared === undefined || this.blocks.isOwn(shared)) return true;
    const own = this.blocks.take();
    if (own === undefined) return false;
    this.#copy(shared, own);
    this.blocks.release([shared]);
    table[index] = own;
    return true;
  }

  #firstHeld(table: readonly number[]): number {
    return this.#window === 0 ? 0 : table.lastIndexOf(NO_BLOCK) + 1;
  }
}

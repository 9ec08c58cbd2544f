import { KV_BLOCK_TOKENS } from '../compute/index.js';
import type { BlockPool } from './block-pool.js';

/** The place before the first token: the parent of every first block. */
export const ROOT = 0;

/** A remembered prefix: its blocks, now also the caller's, and the place where it ends. */
export interface PrefixMatch {
  readonly blocks: number[];
  readonly node: number;
}

/**
 * Which full blocks hold which tokens: a chain over (parent, token ids), so that a block is found only behind the very
 * tokens that it was computed behind. Keys are exact, not hashes of content: nothing can collide. A key's and value's
 * bits depend on nothing but those tokens, so every sequence of a model may read them.
 * Source: vLLM's automatic prefix caching; SGLang's RadixAttention (arXiv 2312.07104).
 */
export class PrefixCache {
  readonly #pool: BlockPool;
  readonly #nodes = new Map<string, { readonly id: number; readonly block: number }>();
  readonly #keys = new Map<number, string>();
  #lastId = ROOT;

  constructor(pool: BlockPool) {
    this.#pool = pool;
    pool.onForget((block) => {
      const key = this.#keys.get(block);
      if (key !== undefined) this.#nodes.delete(key);
      this.#keys.delete(block);
    });
  }

  /** How many of the first `limit` tokens are remembered, in whole blocks; takes nothing. */
  countTokens(tokenIds: readonly number[], limit: number): number {
    return this.#walk(tokenIds, limit).length * KV_BLOCK_TOKENS;
  }

  /** The longest remembered prefix within the first `limit` tokens; its blocks get one more holder. */
  match(tokenIds: readonly number[], limit: number): PrefixMatch {
    const nodes = this.#walk(tokenIds, limit);
    const blocks = nodes.map(({ block }) => block);
    for (const block of blocks) this.#pool.share(block);
    return { blocks, node: nodes.at(-1)?.id ?? ROOT };
  }

  /** Remembers a full block whose tokens start at `start`, behind `parent`; returns the place where it ends. */
  add(parent: number, tokenIds: readonly number[], start: number, block: number): number {
    const key = keyOf(parent, tokenIds, start);
    const known = this.#nodes.get(key);
    // Two sequences computed the same: the first stays, the other keeps its copy to itself.
    if (known !== undefined) return known.id;
    const id = ++this.#lastId;
    this.#nodes.set(key, { id, block });
    this.#keys.set(block, key);
    this.#pool.remember(block);
    return id;
  }

  #walk(tokenIds: readonly number[], limit: number): { readonly id: number; readonly block: number }[] {
    const nodes: { readonly id: number; readonly block: number }[] = [];
    let parent = ROOT;
    for (let start = 0; start + KV_BLOCK_TOKENS <= limit; start += KV_BLOCK_TOKENS) {
      const node = this.#nodes.get(keyOf(parent, tokenIds, start));
      if (node === undefined) break;
      nodes.push(node);
      parent = node.id;
    }
    return nodes;
  }
}

function keyOf(parent: number, tokenIds: readonly number[], start: number): string {
  return `${parent}:${tokenIds.slice(start, start + KV_BLOCK_TOKENS).join()}`;
}

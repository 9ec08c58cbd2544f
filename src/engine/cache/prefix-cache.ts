import { KV_BLOCK_TOKENS } from '../../compute/index.js';
import type { BlockPool } from './block-pool.js';

/** A node in the chains of blocks: before the first token, or at the end of a cached block. */
export type CacheNode = number | string;

/** The root of requests without a scope: the parent of every first block. */
const ROOT = 0;

/** The root of the requests of a scope. No id of a block equals it. */
export function rootOf(scope: string | undefined): CacheNode {
  return scope === undefined ? ROOT : `scope ${scope}`;
}

/** A cached prefix: its blocks, which the caller now holds too. */
export interface PrefixMatch {
  readonly blocks: number[];
  /** The node at the end of each block. */
  readonly nodes: readonly CacheNode[];
}

/** The first `count` tokens of a cached block. */
export interface BlockBeginning {
  readonly block: number;
  readonly count: number;
}

/** Limit of callers recorded for a block; further callers compute its beginning again. */
const MAX_CALLERS = 256;

/** A cached block: its parent, its own node, its tokens, and the callers that computed it. */
interface Node {
  readonly parent: CacheNode;
  readonly id: number;
  readonly tokenIds: readonly number[];
  readonly block: number;
  readonly callers: Set<string>;
}

/**
 * Maps tokens to blocks: a chain over (parent, token ids), so that a block is found only after exactly the tokens that
 * it was computed after. Keys are exact, not hashes of content: nothing can collide. The bits of keys and values depend
 * on these tokens alone, so every sequence of a model may read full blocks. Requests with scopes are separate: each
 * scope has chains of its own. The beginning of a block is only for its own callers: other callers could find out a
 * text token by token (Wu et al., NDSS 2025, "I Know What You Asked"). Source: vLLM's automatic prefix caching;
 * SGLang's RadixAttention (arXiv 2312.07104).
 */
export class PrefixCache {
  readonly #pool: BlockPool;
  /** Full blocks by their keys. */
  readonly #full = new Map<string, Node>();
  /** All blocks by their parent. */
  readonly #behind = new Map<CacheNode, Set<Node>>();
  readonly #byBlock = new Map<number, Node>();
  #lastId = ROOT;

  constructor(pool: BlockPool) {
    this.#pool = pool;
    pool.onForget((block) => {
      const node = this.#byBlock.get(block);
      if (node !== undefined) this.#remove(node);
    });
  }

  /**
   * The longest cached prefix after `root`, of whole blocks within the first `limit` tokens; its blocks get one more
   * holder.
   */
  match(root: CacheNode, tokenIds: readonly number[], limit: number): PrefixMatch {
    const blocks: number[] = [];
    const nodes: CacheNode[] = [];
    let node = root;
    for (let start = 0; start + KV_BLOCK_TOKENS <= limit; start += KV_BLOCK_TOKENS) {
      const next = this.#full.get(keyOf(node, tokenIds.slice(start, start + KV_BLOCK_TOKENS)));
      if (next === undefined) break;
      this.#pool.share(next.block);
      blocks.push(next.block);
      node = next.id;
      nodes.push(node);
    }
    return { blocks, nodes };
  }

  /** The block of `caller` after `parent` with the longest common beginning with `tokenIds`, if any. */
  beginning(parent: CacheNode, tokenIds: readonly number[], caller: string): BlockBeginning | undefined {
    let longest: BlockBeginning | undefined;
    for (const node of this.#behind.get(parent) ?? []) {
      const count = node.callers.has(caller) ? commonLength(node.tokenIds, tokenIds) : 0;
      if (count > (longest?.count ?? 0)) longest = { block: node.block, count };
    }
    return longest;
  }

  /** Caches a full block of `tokenIds` after `parent`; returns its node. */
  add(parent: CacheNode, tokenIds: readonly number[], block: number, caller: string): CacheNode {
    const key = keyOf(parent, tokenIds);
    const known = this.#full.get(key);
    if (known !== undefined) {
      // Two sequences computed the same: the first block stays cached, the other stays private.
      if (known.callers.size < MAX_CALLERS) known.callers.add(caller);
      return known.id;
    }
    const node = this.#insert({ parent, id: ++this.#lastId, tokenIds, block, callers: new Set([caller]) });
    this.#full.set(key, node);
    return node.id;
  }

  /** Caches a partial block of these tokens, unless the caller's blocks have them. */
  addBeginning(parent: CacheNode, tokenIds: readonly number[], block: number, caller: string): void {
    if (this.beginning(parent, tokenIds, caller)?.count === tokenIds.length) return;
    this.#insert({ parent, id: ++this.#lastId, tokenIds, block, callers: new Set([caller]) });
  }

  /** Removes `block` from the cache. */
  forget(block: number): void {
    const node = this.#byBlock.get(block);
    if (node === undefined) return;
    this.#remove(node);
    this.#pool.forget(block);
  }

  /** Adds a node and removes its shorter beginnings, which it replaces. */
  #insert(node: Node): Node {
    const siblings = this.#behind.get(node.parent) ?? new Set();
    for (const other of siblings) {
      if (!isBeginningOf(other, node)) continue;
      this.forget(other.block);
    }
    // A block whose parents were evicted may be added again after a new parent: it has one node.
    const earlier = this.#byBlock.get(node.block);
    if (earlier !== undefined) this.#remove(earlier);
    this.#behind.set(node.parent, siblings.add(node));
    this.#byBlock.set(node.block, node);
    this.#pool.remember(node.block);
    return node;
  }

  #remove(node: Node): void {
    const { parent, tokenIds, block } = node;
    if (tokenIds.length === KV_BLOCK_TOKENS) this.#full.delete(keyOf(parent, tokenIds));
    this.#byBlock.delete(block);
    const siblings = this.#behind.get(parent);
    siblings?.delete(node);
    if (siblings?.size === 0) this.#behind.delete(parent);
  }
}

function keyOf(parent: CacheNode, tokenIds: readonly number[]): string {
  return `${parent}:${tokenIds.join()}`;
}

/** Whether the second node covers the first for all its callers. */
function isBeginningOf({ tokenIds, callers }: Node, node: Node): boolean {
  if (tokenIds.length === KV_BLOCK_TOKENS || ![...callers].every((caller) => node.callers.has(caller))) return false;
  return commonLength(tokenIds, node.tokenIds) === tokenIds.length;
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

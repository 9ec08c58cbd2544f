import { KV_BLOCK_TOKENS } from '../../compute/index.js';
import { present } from '../../base/index.js';
import { NO_BLOCK, type KvPool } from './kv-pool.js';

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
  /** A table for each pool, with the blocks that the next token sees. */
  readonly tables: number[][];
  /** The node at the end of each block. */
  readonly nodes: readonly CacheNode[];
}

/** The first `count` tokens of a cached block. */
export interface BlockBeginning {
  /** Of each pool. */
  readonly blocks: readonly number[];
  readonly count: number;
}

/** Limit of callers recorded for a block; further callers compute its beginning again. */
const MAX_CALLERS = 256;

/** A cached block: its parent, its own node, the keys of its rows, and the callers that computed it. */
interface Node {
  readonly parent: CacheNode;
  readonly id: number;
  readonly rowKeys: readonly number[];
  /** Its block in each pool; NO_BLOCK where that of a pool with a window is gone. */
  readonly blocks: number[];
  readonly callers: Set<string>;
}

/**
 * Maps tokens to blocks: a chain over (parent, keys of rows), so that a block is found only after exactly the tokens that
 * it was computed after. A row's key is its token id; rows of media have numbers of their own (`RowKeys`). They are exact,
 * not hashes of content: nothing can collide. The bits of keys and values depend on these rows alone, so every sequence
 * of a model may read full blocks. Requests with scopes are separate: each
 * scope has chains of its own. The beginning of a block is only for its own callers: other callers could find out a
 * text token by token (Wu et al., NDSS 2025, "I Know What You Asked"). A node lives as long as its block in the first
 * pool. A prefix ends only where pools with windows still have the blocks that its next token sees. Source: vLLM's
 * automatic prefix caching; SGLang's RadixAttention (arXiv 2312.07104).
 */
export class PrefixCache {
  /** The first keeps all tokens, the others those of a window. */
  readonly #pools: readonly KvPool[];
  /** Full blocks by their keys. */
  readonly #full = new Map<string, Node>();
  /** All blocks by their parent. */
  readonly #behind = new Map<CacheNode, Set<Node>>();
  /** Of each pool. */
  readonly #byBlock: readonly Map<number, Node>[];
  #lastId = ROOT;

  constructor(pools: readonly KvPool[]) {
    this.#pools = pools;
    this.#byBlock = pools.map(() => new Map<number, Node>());
    pools.forEach(({ blocks }, pool) => blocks.onForget((block) => this.forget(pool, block)));
  }

  /**
   * The longest cached prefix after `root`, of whole blocks within the first `limit` tokens. It ends at a node of which
   * `isEnd` holds, and its blocks get one more holder.
   */
  match(
    root: CacheNode,
    rowKeys: readonly number[],
    limit: number,
    isEnd: (node: CacheNode) => boolean = () => true,
  ): PrefixMatch {
    const nodes: Node[] = [];
    for (let start = 0; start + KV_BLOCK_TOKENS <= limit; start += KV_BLOCK_TOKENS) {
      const next = this.#full.get(keyOf(nodes.at(-1)?.id ?? root, rowKeys.slice(start, start + KV_BLOCK_TOKENS)));
      if (next === undefined) break;
      nodes.push(next);
    }
    const kept = nodes.slice(0, this.#reusable(nodes, isEnd));
    const tables = this.#pools.map((pool, index) => {
      const first = pool.firstSeen(kept.length * KV_BLOCK_TOKENS);
      const table = kept.map(({ blocks }, i) => (i < first ? NO_BLOCK : (blocks[index] ?? NO_BLOCK)));
      pool.share(table);
      return table;
    });
    return { tables, nodes: kept.map(({ id }) => id) };
  }

  /** How many of the nodes of a chain form a prefix whose next token finds all that it sees. */
  #reusable(nodes: readonly Node[], isEnd: (node: CacheNode) => boolean): number {
    // Blocks in a row up to the present node, in each pool.
    const runs = this.#pools.map(() => 0);
    let reusable = 0;
    for (const [i, { id, blocks }] of nodes.entries()) {
      for (const [pool, run] of runs.entries()) runs[pool] = blocks[pool] === NO_BLOCK ? 0 : run + 1;
      const count = i + 1;
      const seen = (pool: KvPool): number => count - pool.firstSeen(count * KV_BLOCK_TOKENS);
      if (isEnd(id) && this.#pools.every((pool, index) => (runs[index] ?? 0) >= seen(pool))) reusable = count;
    }
    return reusable;
  }

  /** The blocks of `caller` after `parent` with the longest common beginning with `rowKeys`, if any. */
  beginning(parent: CacheNode, rowKeys: readonly number[], caller: string): BlockBeginning | undefined {
    let longest: BlockBeginning | undefined;
    for (const { blocks, callers, rowKeys: others } of this.#behind.get(parent) ?? []) {
      const count = callers.has(caller) && !blocks.includes(NO_BLOCK) ? commonLength(others, rowKeys) : 0;
      if (count > (longest?.count ?? 0)) longest = { blocks, count };
    }
    return longest;
  }

  /** Caches full blocks of `rowKeys` after `parent`, one of each pool or NO_BLOCK; returns their node. */
  add(parent: CacheNode, rowKeys: readonly number[], blocks: readonly number[], caller: string): CacheNode {
    const key = keyOf(parent, rowKeys);
    const known = this.#full.get(key);
    if (known !== undefined) {
      // Two sequences computed the same: the first block stays cached, the other stays private.
      if (known.callers.size < MAX_CALLERS) known.callers.add(caller);
      this.#complete(known, blocks);
      return known.id;
    }
    const node = this.#insert({
      parent,
      id: ++this.#lastId,
      rowKeys,
      blocks: [...blocks],
      callers: new Set([caller]),
    });
    this.#full.set(key, node);
    return node.id;
  }

  /** Caches partial blocks of these tokens, unless the caller's blocks have them. */
  addBeginning(parent: CacheNode, rowKeys: readonly number[], blocks: readonly number[], caller: string): void {
    if (this.beginning(parent, rowKeys, caller)?.count === rowKeys.length) return;
    this.#insert({ parent, id: ++this.#lastId, rowKeys, blocks: [...blocks], callers: new Set([caller]) });
  }

  /** Removes the block of a pool from the cache. */
  forget(pool: number, block: number): void {
    const node = this.#byBlock[pool]?.get(block);
    if (node === undefined) return;
    if (pool === 0) this.#remove(node);
    else this.#lose(node, pool);
  }

  /** Adds a node and removes its shorter beginnings, which it replaces. */
  #insert(node: Node): Node {
    const siblings = this.#behind.get(node.parent) ?? new Set();
    for (const other of siblings) if (isBeginningOf(other, node)) this.#remove(other);
    // A block whose parents were evicted may be added again after a new parent: it has one node.
    node.blocks.forEach((block, pool) => this.forget(pool, block));
    this.#behind.set(node.parent, siblings.add(node));
    node.blocks.forEach((block, pool) => this.#hold(node, pool, block));
    return node;
  }

  /** Gives a node the blocks of windows that it has lost. */
  #complete(node: Node, blocks: readonly number[]): void {
    blocks.forEach((block, pool) => {
      if (node.blocks[pool] !== NO_BLOCK || this.#byBlock[pool]?.has(block) === true) return;
      node.blocks[pool] = block;
      this.#hold(node, pool, block);
    });
  }

  #hold(node: Node, pool: number, block: number): void {
    if (block === NO_BLOCK) return;
    this.#byBlock[pool]?.set(block, node);
    this.#blocksOf(pool).remember(block);
  }

  #lose(node: Node, pool: number): void {
    const block = node.blocks[pool];
    if (block === undefined || block === NO_BLOCK) return;
    node.blocks[pool] = NO_BLOCK;
    this.#byBlock[pool]?.delete(block);
    this.#blocksOf(pool).forget(block);
  }

  #remove(node: Node): void {
    const { parent, rowKeys } = node;
    if (rowKeys.length === KV_BLOCK_TOKENS) this.#full.delete(keyOf(parent, rowKeys));
    for (const pool of this.#pools.keys()) this.#lose(node, pool);
    const siblings = this.#behind.get(parent);
    siblings?.delete(node);
    if (siblings?.size === 0) this.#behind.delete(parent);
  }

  #blocksOf(pool: number): KvPool['blocks'] {
    return present(this.#pools[pool], 'a pool of the cache').blocks;
  }
}

function keyOf(parent: CacheNode, rowKeys: readonly number[]): string {
  return `${parent}:${rowKeys.join()}`;
}

/** Whether the second node covers the first for all its callers. */
function isBeginningOf({ rowKeys, callers }: Node, node: Node): boolean {
  if (rowKeys.length === KV_BLOCK_TOKENS || ![...callers].every((caller) => node.callers.has(caller))) return false;
  return commonLength(rowKeys, node.rowKeys) === rowKeys.length;
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

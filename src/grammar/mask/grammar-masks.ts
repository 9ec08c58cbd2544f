import { DEAD, type GrammarWalk, type ParseTable, type WalkState } from '../run/index.js';
import { createTokenMask, type TokenMask } from '../token-mask.js';
import type { TokenTrie } from '../vocabulary/index.js';
import { findLocalTokens, type LocalTokens } from './local-tokens.js';
import { allowBelow } from './walk-trie.js';

/** Masks of one grammar over one vocabulary, and what they are made of. */
export class GrammarMasks {
  readonly #trie: TokenTrie;
  /** Is told of bytes that are kept. */
  readonly #keep: (sizeBytes: number) => void;
  /** By state of the grammar; null where there are none to be kept. */
  readonly #local = new Map<number, LocalTokens | null>();
  /** By parse state of `#table`. */
  readonly #masks = new Map<number, TokenMask>();
  #table: ParseTable;

  constructor(walk: GrammarWalk, trie: TokenTrie, keep: (sizeBytes: number) => void) {
    this.#table = walk.table;
    this.#trie = trie;
    this.#keep = keep;
  }

  /** The tokens that may come next; not to be written to. */
  of(walkState: WalkState): TokenMask {
    const { table, state } = walkState.locate();
    if (table !== this.#table) this.#masks.clear();
    this.#table = table;
    const known = this.#masks.get(state);
    if (known !== undefined) return known;
    const mask = createTokenMask(this.#trie.vocabSize);
    const configurations = table.configurations(state);
    for (let i = 0; i < configurations.length; i += 2) {
      this.#allow(configurations[i] as number, configurations[i + 1] as number, mask);
    }
    this.#masks.set(state, mask);
    this.#keep(mask.byteLength);
    return mask;
  }

  /** Forgets everything. */
  clear(): void {
    this.#local.clear();
    this.#masks.clear();
  }

  /** Allows what one state reads with one set of stacks. */
  #allow(state: number, set: number, mask: TokenMask): void {
    const table = this.#table;
    const local = this.#localOf(state);
    if (local === null) {
      allowBelow(table, this.#trie, 0, table.add([0, state, set]), mask);
      return;
    }
    const { mask: many, tokens, trie, exits } = local;
    if (many !== undefined) for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] as number) | (many[i] as number);
    for (const id of tokens) mask[id >>> 5] = (mask[id >>> 5] as number) | (1 << (id & 31));
    if (exits.length === 0) return;
    const returned = table.returned(set);
    if (returned === DEAD) return;
    for (const node of exits) allowBelow(table, trie, node, returned, mask);
  }

  #localOf(state: number): LocalTokens | null {
    const known = this.#local.get(state);
    if (known !== undefined) return known;
    const local = findLocalTokens(this.#table, this.#trie, state) ?? null;
    this.#local.set(state, local);
    this.#keep(local?.sizeBytes ?? 0);
    return local;
  }
}

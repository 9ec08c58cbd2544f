import { DEAD, ROOT, type GrammarWalk, type ParseTable, type WalkState, type WorkMeter } from '../run/index.js';
import type { TokenMask } from '../token-mask.js';
import { findLocalTokens, type LocalSources, type LocalTokens } from './local-tokens.js';
import { RuleKeys } from './rule-keys.js';
import { allowBelow, type Paused } from './walk-trie.js';

/** Caches that all grammars over one vocabulary share. */
export interface MaskCache extends LocalSources {
  /** By the possible reads of a state: strings of JSON and other parts that many grammars have. */
  readonly local: Map<string, LocalTokens | null>;
  /** A mask that allows nothing. */
  readonly newMask: () => TokenMask;
  /** Called with the size of each cached entry. */
  readonly keep: (sizeBytes: number) => void;
}

/** The root, below which all of a trie lies. */
const WHOLE = [0];

/** Masks of one grammar over one vocabulary, and their parts. */
export class GrammarMasks {
  readonly #cache: MaskCache;
  /** By twice the state of the grammar, and 1 more where nothing follows its rule; null where there are none to be kept. */
  readonly #local = new Map<number, LocalTokens | null>();
  /** By parse state of `#table`. */
  readonly #masks = new Map<number, TokenMask>();
  #table: ParseTable;
  readonly #keys: RuleKeys;
  readonly #meter: WorkMeter;

  constructor(walk: GrammarWalk, cache: MaskCache) {
    this.#meter = walk.meter;
    this.#table = walk.table;
    this.#cache = cache;
    this.#keys = new RuleKeys(walk.reader.grammar);
  }

  /** The tokens that may come next; not to be written to. Several may be made in turns. Errors: `grammar_too_slow`. */
  *make(walkState: WalkState): Paused<TokenMask> {
    const { table, state } = walkState.locate();
    if (table !== this.#table) this.#masks.clear();
    this.#table = table;
    const known = this.#masks.get(state);
    if (known !== undefined) return known;
    const mask = this.#cache.newMask();
    const configurations = table.configurations(state);
    for (let i = 0; i < configurations.length; i += 2) {
      this.#meter.take(mask.length);
      yield* this.#allow(table, configurations[i] as number, configurations[i + 1] as number, mask);
    }
    if (table === this.#table) this.#masks.set(state, mask);
    this.#cache.keep(mask.byteLength);
    return mask;
  }

  /** Allows the tokens that one state reads with one set of stacks. */
  *#allow(table: ParseTable, state: number, set: number, mask: TokenMask): Paused<void> {
    const local = yield* this.#localOf(table, state, set === ROOT);
    if (local === null) {
      yield* allowBelow(table, this.#cache.trie, WHOLE, table.add([0, state, set]), mask, this.#meter);
      return;
    }
    const { mask: many, tokens, trie, exits } = local;
    if (many !== undefined) for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] as number) | (many[i] as number);
    for (const id of tokens) mask[id >>> 5] = (mask[id >>> 5] as number) | (1 << (id & 31));
    if (exits.length === 0) return;
    const returned = table.returned(set);
    if (returned === DEAD) return;
    yield* allowBelow(table, trie, exits, returned, mask, this.#meter);
  }

  *#localOf(table: ParseTable, state: number, isLast: boolean): Paused<LocalTokens | null> {
    const place = 2 * state + (isLast ? 1 : 0);
    const known = this.#local.get(place);
    if (known !== undefined) return known;
    const local = yield* this.#find(table, state, isLast);
    this.#local.set(place, local);
    return local;
  }

  *#find(table: ParseTable, state: number, isLast: boolean): Paused<LocalTokens | null> {
    const { local, keep } = this.#cache;
    const name = this.#keys.of(state);
    const key = name && (isLast ? `${name} last` : name);
    const shared = key === undefined ? undefined : local.get(key);
    if (shared !== undefined) return shared;
    const found = (yield* findLocalTokens(table, this.#cache, state, isLast, this.#meter)) ?? null;
    if (key !== undefined) local.set(key, found);
    keep((found?.sizeBytes ?? 0) + 2 * (key?.length ?? 0));
    return found;
  }
}

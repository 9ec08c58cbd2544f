import type { CompiledGrammar } from '../compile/index.js';
import { DEAD, ParseTable } from './parse-table.js';
import { Reader } from './reader.js';
import { transfer } from './transfer.js';

/** Forced bytes that are looked for at most: no literal that a schema brings is much longer. */
const MAX_FORCED_BYTES = 1 << 12;

/** A compiled grammar that texts walk through: what all of them learn of it is kept within bounds. */
export class GrammarWalk {
  readonly reader: Reader;
  #table: ParseTable;

  constructor(grammar: CompiledGrammar) {
    this.reader = new Reader(grammar);
    this.#table = new ParseTable(this.reader);
  }

  /** The table that is filled now. A full one is left to the states that still are in it. */
  get table(): ParseTable {
    if (this.#table.isFull) this.#table = new ParseTable(this.reader);
    return this.#table;
  }

  /** The empty text. */
  start(): WalkState {
    const { table } = this;
    return new WalkState(this, table, table.start);
  }
}

/**
 * The beginning of a text that a grammar allows. It does not change, so that many may go on from it. It is the same
 * whatever other texts have walked through the grammar before.
 */
export class WalkState {
  readonly walk: GrammarWalk;
  #table: ParseTable;
  #state: number;

  constructor(walk: GrammarWalk, table: ParseTable, state: number) {
    this.walk = walk;
    this.#table = table;
    this.#state = state;
  }

  /** Its parse state, in the table that is filled now. */
  locate(): { readonly table: ParseTable; readonly state: number } {
    const { table } = this.walk;
    if (table !== this.#table) {
      this.#state = transfer(this.#state, this.#table, table);
      this.#table = table;
    }
    return { table, state: this.#state };
  }

  /** Whether the text may end here. */
  get canEnd(): boolean {
    return this.#table.canEnd(this.#state);
  }

  /** Whether nothing may follow. */
  get isOver(): boolean {
    return this.#table.configurations(this.#state).length === 0;
  }

  /** The text with `bytes` more; undefined where no text goes on like this. */
  advance(bytes: Uint8Array): WalkState | undefined {
    const { table, state } = this.locate();
    const next = table.walk(state, bytes);
    return next === DEAD ? undefined : new WalkState(this.walk, table, next);
  }

  /** The bytes that come next in every text that goes on, as far as there are no two ways; at most 4096. */
  forcedBytes(): Uint8Array {
    const bytes: number[] = [];
    let { table, state } = this.locate();
    while (bytes.length < MAX_FORCED_BYTES && !table.canEnd(state)) {
      const only = this.#onlyClass(table, state);
      if (only === undefined) break;
      bytes.push(this.walk.reader.byteOf[only] as number);
      state = table.step(state, only);
    }
    return Uint8Array.from(bytes);
  }

  /** The class of the one byte that may come; undefined where several may. */
  #onlyClass(table: ParseTable, state: number): number | undefined {
    const { numClasses, sizeOf } = this.walk.reader;
    let only: number | undefined;
    for (let byteClass = 0; byteClass < numClasses; byteClass++) {
      if (table.step(state, byteClass) === DEAD) continue;
      if (only !== undefined || sizeOf[byteClass] !== 1) return undefined;
      only = byteClass;
    }
    return only;
  }
}

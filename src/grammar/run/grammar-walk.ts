import type { CompiledGrammar } from '../compile/index.js';
import { DEAD, ParseTable } from './parse-table.js';
import { Reader } from './reader.js';
import { readState, writeState } from './transfer.js';
import { WorkMeter } from './work-meter.js';

/** Forced bytes that are looked for at most: no literal that a schema brings is much longer. */
const MAX_FORCED_BYTES = 1 << 12;
/**
 * Units of work that a text may take at once, and for each of its bytes: some 3 ms, and 40 µs a byte. All but hostile
 * grammars take microseconds; a model's other answers wait meanwhile.
 */
const TEXT_UNITS = 1 << 18;
const BYTE_UNITS = 1 << 12;

/** A compiled grammar that texts walk through; the caches that they share are bounded. */
export class GrammarWalk {
  readonly reader: Reader;
  /** Counts computed units; the caller that begins work sets its limit. */
  readonly meter = new WorkMeter();
  #table: ParseTable;

  constructor(grammar: CompiledGrammar) {
    this.reader = new Reader(grammar);
    this.#table = new ParseTable(this.reader, this.meter);
  }

  /** The table that is filled now. A full one is left to the states that still are in it. */
  get table(): ParseTable {
    if (this.#table.isFull) this.#table = new ParseTable(this.reader, this.meter);
    return this.#table;
  }

  /** The empty text. Errors: `grammar_too_slow`. */
  start(): WalkState {
    const { table } = this;
    this.allow(0);
    return new WalkState(this, table, table.start);
  }

  /** The state that `toWords` wrote of this grammar, on whatever thread. Errors: `grammar_too_slow`. */
  fromWords(words: Int32Array): WalkState {
    const { table } = this;
    return new WalkState(this, table, readState(table, words));
  }

  /** Lets the next that is computed take as much as a text of so many bytes may. */
  allow(numBytes: number): void {
    this.meter.left = TEXT_UNITS + BYTE_UNITS * numBytes;
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
      this.#state = readState(table, writeState(this.#table, this.#state));
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

  /** The input of `GrammarWalk.fromWords`. */
  toWords(): Int32Array<ArrayBuffer> {
    return writeState(this.#table, this.#state);
  }

  /** The text with `bytes` more; undefined where no text goes on like this. Errors: `grammar_too_slow`. */
  advance(bytes: Uint8Array): WalkState | undefined {
    this.walk.allow(bytes.length);
    const { table, state } = this.locate();
    const next = table.walk(state, bytes);
    return next === DEAD ? undefined : new WalkState(this.walk, table, next);
  }

  /** The bytes that come next in every text that goes on, as far as there are no two ways; at most `most`. Errors: `grammar_too_slow`. */
  forcedBytes(most = MAX_FORCED_BYTES): Uint8Array {
    this.walk.allow(most);
    const bytes: number[] = [];
    let { table, state } = this.locate();
    while (bytes.length < most && !table.canEnd(state)) {
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

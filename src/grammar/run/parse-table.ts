import { RowTable, withRoom } from '../row-table.js';
import { Positions } from './positions.js';
import type { Reader } from './reader.js';
import { ROOT, StackTable } from './stack-table.js';
import type { WorkMeter } from './work-meter.js';

/** No text goes on like this. */
export const DEAD = -1;
/** Not computed yet. */
const UNKNOWN = -2;
/** Int32 words of transitions and of configurations from which on a table is full: 8 MB and 4 MB. */
const MAX_TRANSITIONS = 1 << 21;
const MAX_WORDS = 1 << 20;
/** Cost of adding a word of another parse state; and of keeping one of a new state, so that memory is bounded by work. */
const ADDED_UNITS = 2;
const KEPT_WORD_UNITS = 4;

/**
 * Parse states of a grammar by number: every possible position of the beginning of a text. Two beginnings with the same
 * continuations mostly have the same number, and always behave alike. A parse state is a row: 1 if the text may end,
 * then pairs of a state that reads bytes and its set of stacks. Transitions are computed on demand.
 */
export class ParseTable {
  readonly reader: Reader;
  readonly stacks: StackTable;
  readonly #meter: WorkMeter;
  #start: number | undefined;
  readonly #positions: Positions;
  readonly #rows = new RowTable();
  /** [parse states, classes]: the next state, DEAD or UNKNOWN. */
  #next = new Int32Array(0);
  /** [sets of stacks]: the parse state after a rule that ends in them. */
  #returned = new Int32Array(0);
  readonly #row: number[] = [];

  constructor(reader: Reader, meter: WorkMeter) {
    this.reader = reader;
    this.#meter = meter;
    this.stacks = new StackTable(meter);
    this.#positions = new Positions(reader, this.stacks, meter);
  }

  /** The parse state of the empty text. Errors: `grammar_too_slow`, as of all that is computed. */
  get start(): number {
    if (this.#start !== undefined) return this.#start;
    const { hasEmpty, start } = this.reader.grammar;
    this.#start = this.#gather(() => {
      if (hasEmpty) this.#positions.end();
      this.#positions.enter(start, ROOT);
      return this.#take();
    });
    return this.#start;
  }

  /** Whether it is time for a new table. */
  get isFull(): boolean {
    const words = this.#rows.numWords + this.stacks.rows.numWords;
    return this.#rows.size * this.reader.numClasses > MAX_TRANSITIONS || words > MAX_WORDS;
  }

  /** Whether the text may end in the parse state. */
  canEnd(state: number): boolean {
    return this.#rows.data[this.#rows.startOf(state)] === 1;
  }

  /** Pairs of a state that reads bytes and its stacks. */
  configurations(state: number): Int32Array {
    return this.#rows.data.slice(this.#rows.startOf(state) + 1, this.#rows.endOf(state));
  }

  /** The parse state after a byte of the class, or DEAD. */
  step(state: number, byteClass: number): number {
    const place = state * this.reader.numClasses + byteClass;
    const known = this.#next[place] as number;
    if (known !== UNKNOWN) return known;
    const next = this.#compute(state, byteClass);
    this.#next[place] = next;
    return next;
  }

  /** The parse state after `bytes[start, end)`, or DEAD. */
  walk(state: number, bytes: Uint8Array, start = 0, end = bytes.length): number {
    const { classOf } = this.reader;
    let current = state;
    for (let i = start; i < end && current !== DEAD; i++) {
      current = this.step(current, classOf[bytes[i] as number] as number);
    }
    return current;
  }

  /** The parse state of `state` alone, reading bytes itself, with nothing to return to. */
  alone(state: number): number {
    return this.#gather(() => {
      this.#positions.addReading(state, ROOT);
      return this.#take();
    });
  }

  /** The parse state of one row, whose sets of stacks are those of this table. */
  add(row: readonly number[]): number {
    return this.#intern(row);
  }

  /** The parse state once a rule has ended that was entered with the stacks `set`, or DEAD. */
  returned(set: number): number {
    const open = [set];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const beneath = this.#known(top) === UNKNOWN ? this.#missing(top) : undefined;
      if (beneath !== undefined) {
        open.push(beneath);
        continue;
      }
      if (this.#known(top) === UNKNOWN) this.#returned[top] = this.#return(top);
      open.pop();
    }
    return this.#known(set);
  }

  #known(set: number): number {
    const length = this.#returned.length;
    if (set >= length) {
      this.#returned = withRoom(this.#returned, set + 1);
      this.#returned.fill(UNKNOWN, length);
    }
    return this.#returned[set] as number;
  }

  /** A set that must be returned to first, because a state on top of `set` accepts. */
  #missing(set: number): number | undefined {
    const { rows } = this.stacks;
    const end = rows.endOf(set);
    for (let i = rows.startOf(set) + 1; i < end; i += 2) {
      const beneath = rows.data[i + 1] as number;
      const isNeeded = this.reader.grammar.accepting[rows.data[i] as number] === 1;
      if (isNeeded && this.#known(beneath) === UNKNOWN) return beneath;
    }
    return undefined;
  }

  #return(set: number): number {
    const { rows } = this.stacks;
    const [isRoot, ...pairs] = rows.data.subarray(rows.startOf(set), rows.endOf(set));
    return this.#gather(() => {
      if (isRoot === 1) this.#positions.end();
      return this.#follow(pairs);
    });
  }

  #compute(state: number, byteClass: number): number {
    const { data } = this.#rows;
    const end = this.#rows.endOf(state);
    const pairs: number[] = [];
    this.#meter.take(end - this.#rows.startOf(state));
    for (let i = this.#rows.startOf(state) + 1; i < end; i += 2) {
      const next = this.reader.next(data[i] as number, byteClass);
      if (next !== -1) pairs.push(next, data[i + 1] as number);
    }
    if (pairs.length === 0) return DEAD;
    for (let i = 0; i < pairs.length; i += 2) {
      if (this.reader.grammar.accepting[pairs[i] as number] === 1) this.returned(pairs[i + 1] as number);
    }
    return this.#gather(() => this.#follow(pairs));
  }

  /** Gathers a parse state; discards the gathered parts where it exceeds its limit. */
  #gather(find: () => number): number {
    try {
      return find();
    } catch (error) {
      this.#positions.clear();
      throw error;
    }
  }

  /** The configurations after entered states, each with its stacks; the return targets of accepting ones are known. */
  #follow(pairs: readonly number[]): number {
    let isRefused = false;
    for (let i = 0; i < pairs.length; i += 2) {
      const state = pairs[i] as number;
      const set = pairs[i + 1] as number;
      this.#positions.add(state, set);
      if (this.reader.grammar.accepting[state] !== 1) continue;
      const returned = this.#known(set);
      if (returned === DEAD) isRefused = true;
      else this.#addAll(returned);
    }
    const followed = this.#take();
    return isRefused ? DEAD : followed;
  }

  #addAll(state: number): void {
    if (this.canEnd(state)) this.#positions.end();
    const end = this.#rows.endOf(state);
    this.#meter.take(ADDED_UNITS * (end - this.#rows.startOf(state)));
    for (let i = this.#rows.startOf(state) + 1; i < end; i += 2) {
      this.#positions.addReading(this.#rows.data[i] as number, this.#rows.data[i + 1] as number);
    }
  }

  #take(): number {
    return this.#positions.take(this.#row) ? this.#intern(this.#row) : DEAD;
  }

  #intern(row: readonly number[]): number {
    const { size } = this.#rows;
    const state = this.#rows.intern(row, row.length);
    const { length } = this.#next;
    const needed = (state + 1) * this.reader.numClasses;
    if (needed > length) {
      this.#next = withRoom(this.#next, needed);
      this.#next.fill(UNKNOWN, length);
    }
    if (state === size) this.#meter.take(KEPT_WORD_UNITS * (row.length + this.reader.numClasses));
    return state;
  }
}

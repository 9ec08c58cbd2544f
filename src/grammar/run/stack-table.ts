import { RowTable, withRoom } from '../row-table.js';
import type { WorkMeter } from './work-meter.js';

/** The stacks of a text's beginning: one, with nothing on it. */
export const ROOT = 0;
/** Not a set of stacks: the limit on ambiguity is passed. */
export const REFUSED = -1;
/**
 * Where two sets of stacks above this height would have to be united, the text is refused. This needs a grammar with
 * hundreds of nested rules that can all be read in two ways.
 */
const MAX_MERGED_HEIGHT = 1024;
/** Cost of a union, and of each united word. */
const MERGE_UNITS = 16;
const MERGED_WORD_UNITS = 4;

/**
 * Sets of stacks of return states, each by a number: equal sets have equal numbers, whatever their origin. A set is an
 * automaton: whether it has the empty stack, and for each possible top state the set beneath.
 */
export class StackTable {
  /** Rows: 1 if the empty stack is in the set, then pairs of a state and a set, in the order of the states. */
  readonly rows = new RowTable();
  /** [sets]: states on the highest stack. */
  #heights = new Int32Array(64);
  /** Unions that are known, by both numbers. */
  readonly #unions = new Map<number, number>();
  readonly #row: number[] = [];
  readonly #meter: WorkMeter;

  constructor(meter: WorkMeter) {
    this.#meter = meter;
    this.#intern([1], 0);
  }

  /** The stacks of `set` with `state` laid upon each. */
  push(state: number, set: number): number {
    this.#row[0] = 0;
    this.#row[1] = state;
    this.#row[2] = set;
    this.#row.length = 3;
    return this.#intern(this.#row, (this.#heights[set] as number) + 1);
  }

  /** The stacks of both sets, or `REFUSED`. */
  union(a: number, b: number): number {
    if (a === b) return a;
    if (a > b) return this.union(b, a);
    const height = Math.max(this.#heights[a] as number, this.#heights[b] as number);
    if (height > MAX_MERGED_HEIGHT) return REFUSED;
    // Below 2^53, since neither number reaches 2^26.
    const key = a * 0x4000000 + b;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const row = this.#merge(this.#read(a), this.#read(b));
    const set = row === undefined ? REFUSED : this.#intern(row, height);
    this.#unions.set(key, set);
    return set;
  }

  /** Adds a row of another table, whose sets are those of this one. */
  add(row: readonly number[]): number {
    let height = 0;
    for (let i = 2; i < row.length; i += 2) height = Math.max(height, 1 + (this.#heights[row[i] as number] as number));
    return this.#intern(row, height);
  }

  #merge(a: readonly number[], b: readonly number[]): number[] | undefined {
    this.#meter.take(MERGE_UNITS + MERGED_WORD_UNITS * (a.length + b.length));
    const row = [(a[0] as number) | (b[0] as number)];
    let i = 1;
    let k = 1;
    while (i < a.length || k < b.length) {
      const stateA = a[i] ?? Infinity;
      const stateB = b[k] ?? Infinity;
      if (stateA === stateB) {
        const beneath = this.union(a[i + 1] as number, b[k + 1] as number);
        if (beneath === REFUSED) return undefined;
        row.push(stateA, beneath);
      } else if (stateA < stateB) row.push(stateA, a[i + 1] as number);
      else row.push(stateB, b[k + 1] as number);
      if (stateA <= stateB) i += 2;
      if (stateB <= stateA) k += 2;
    }
    return row;
  }

  #read(set: number): readonly number[] {
    return [...this.rows.data.subarray(this.rows.startOf(set), this.rows.endOf(set))];
  }

  #intern(row: readonly number[], height: number): number {
    const set = this.rows.intern(row, row.length);
    this.#heights = withRoom(this.#heights, set + 1);
    this.#heights[set] = height;
    return set;
  }
}

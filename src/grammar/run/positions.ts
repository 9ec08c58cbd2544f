import { TAIL_CALL } from '../compile/index.js';
import type { Reader } from './reader.js';
import { REFUSED, type StackTable } from './stack-table.js';
import type { WorkMeter } from './work-meter.js';

/** Cost of a state, and of each rule that it begins to read. */
const STATE_UNITS = 4;
const CALL_UNITS = 16;

/**
 * Gathers the configurations of a grammar: states that read bytes, each with its set of stacks. An added state may
 * begin by reading a rule: then the beginnings of that rule are added, and so on.
 */
export class Positions {
  readonly #reader: Reader;
  readonly #stacks: StackTable;
  readonly #meter: WorkMeter;
  /** [states]: the stacks of each state that was added, or -1. */
  readonly #stacksOf: Int32Array;
  readonly #states: number[] = [];
  /** [rules]: the stacks of each rule that is yet to be entered, or -1. */
  readonly #entered: Int32Array;
  readonly #rules = new LeastFirst();
  #canEnd = false;
  #isRefused = false;

  constructor(reader: Reader, stacks: StackTable, meter: WorkMeter) {
    this.#reader = reader;
    this.#stacks = stacks;
    this.#meter = meter;
    this.#stacksOf = new Int32Array(reader.numStates).fill(-1);
    this.#entered = new Int32Array(reader.numRules).fill(-1);
  }

  /** The text may end here. */
  end(): void {
    this.#canEnd = true;
  }

  /** Adds the reads of `state` with the stacks `set`. Where it accepts, its caller adds the continuation. */
  add(state: number, set: number): void {
    const { callOffsets, calls } = this.#reader.grammar;
    if (this.#reader.hasEdges(state)) this.addReading(state, set);
    const end = callOffsets[state + 1] as number;
    const begin = callOffsets[state] as number;
    this.#meter.take(STATE_UNITS + CALL_UNITS * (end - begin));
    for (let call = begin; call < end; call++) {
      const rule = calls[2 * call] as number;
      const after = calls[2 * call + 1] as number;
      this.enter(rule, after === TAIL_CALL ? set : this.#stacks.push(after, set));
    }
  }

  /** Adds a state that reads bytes itself; callers add its other reads. */
  addReading(state: number, set: number): void {
    const before = this.#stacksOf[state] as number;
    if (before === -1) this.#states.push(state);
    this.#stacksOf[state] = this.#merge(before, set);
  }

  /** The beginning of `rule`. */
  enter(rule: number, set: number): void {
    const before = this.#entered[rule] as number;
    if (before === -1) this.#rules.push(rule);
    this.#entered[rule] = this.#merge(before, set);
  }

  /** Writes 1 or 0 for whether the text may end, then each state and its stacks; undefined where that is refused. */
  take(row: number[]): boolean {
    this.#enterAll();
    row.length = 0;
    row.push(this.#canEnd ? 1 : 0);
    this.#states.sort((a, b) => a - b);
    for (const state of this.#states) {
      row.push(state, this.#stacksOf[state] as number);
      this.#stacksOf[state] = -1;
    }
    const isTaken = !this.#isRefused;
    this.#states.length = 0;
    this.#canEnd = false;
    this.#isRefused = false;
    return isTaken;
  }

  /** Discards the configurations added before the limit was exceeded. */
  clear(): void {
    for (const state of this.#states) this.#stacksOf[state] = -1;
    for (let rule = this.#rules.take(); rule !== undefined; rule = this.#rules.take()) this.#entered[rule] = -1;
    this.#states.length = 0;
    this.#canEnd = false;
    this.#isRefused = false;
  }

  /** Enters each rule once all stacks it is entered with are known: rules only begin with later ones. */
  #enterAll(): void {
    const { ruleStates } = this.#reader.grammar;
    for (let rule = this.#rules.take(); rule !== undefined; rule = this.#rules.take()) {
      const set = this.#entered[rule] as number;
      this.#entered[rule] = -1;
      this.add(ruleStates[rule] as number, set);
    }
  }

  #merge(a: number, b: number): number {
    if (a === -1) return b;
    const both = this.#stacks.union(a, b);
    if (both === REFUSED) this.#isRefused = true;
    return both === REFUSED ? a : both;
  }
}

/** A priority queue of whole numbers, the least first: a binary heap, since a grammar may begin with thousands of rules. */
class LeastFirst {
  readonly #heap: number[] = [];

  push(value: number): void {
    const heap = this.#heap;
    let at = heap.push(value) - 1;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if ((heap[above] as number) <= value) break;
      heap[at] = heap[above] as number;
      at = above;
    }
    heap[at] = value;
  }

  /** The least number, which is no longer there; undefined where there is none. */
  take(): number | undefined {
    const heap = this.#heap;
    const least = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return least;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const lesser = (heap[below + 1] ?? Infinity) < (heap[below] as number) ? below + 1 : below;
      if ((heap[lesser] as number) >= last) break;
      heap[at] = heap[lesser] as number;
      at = lesser;
    }
    heap[at] = last;
    return least;
  }
}

import type { CategoryLookup } from '../unicode/code-points.js';
import { createClassTable, type ClassTable } from '../unicode/class-table.js';
import { unsupportedTokenizer } from '../errors.js';
import { MAX_AUTOMATON_STATES } from '../limits.js';
import { compileOniguruma, type RegexProgram } from './regex-program.js';
import { parseOniguruma } from './regex-syntax.js';

const UNKNOWN = -1;
const DEAD = 0;

/**
 * A compiled regular expression that matches as a backtracking engine would (leftmost, first alternative) in one pass
 * without backtracking: a deterministic automaton, built state by state as texts need it. A state is the ordered list
 * of the threads alive; a lower thread dies where a higher one accepts. Never more work than one table look-up per
 * character, whatever the pattern; independent of the Unicode version of the running Node.
 * Source: Cox, "Regular Expression Matching: the Virtual Machine Approach" and RE2's lazy DFA, leftmost-first.
 */
export class Regex {
  readonly #program: RegexProgram;
  readonly #classes: ClassTable;
  readonly #width: number;
  /** [state, class] → 2 × next state's offset + 1 when the text before the character is a match; or UNKNOWN. */
  #next = new Int32Array(0);
  #threads: (readonly number[])[] = [];
  #stateOf = new Map<string, number>();

  /** Errors: `tokenizer_invalid`, `unsupported_tokenizer` (also for a pattern that matches nothing at all). */
  constructor(pattern: string, categoryOf: CategoryLookup, where: string) {
    this.#program = compileOniguruma(parseOniguruma(pattern, categoryOf, where), where);
    this.#classes = createClassTable(this.#program.sets);
    this.#width = this.#classes.count + 1; // one more: the end of the text
    this.#forget();
    const start = this.#stateNumber([0]);
    for (let number = 0; number < this.#width; number++) {
      if ((this.#step(start, number) & 1) === 1)
        throw unsupportedTokenizer(where, 'a pattern that matches an empty text');
    }
  }

  /** The end of the match that begins at `start` in `units[start, end)`, or -1. `end` counts as the end of the text. */
  matchEnd(units: Uint16Array, start: number, end: number): number {
    const { pages, pageOf } = this.#classes;
    const width = this.#width;
    let next = this.#next;
    let state = width; // the offset of state 1, the start
    let matched = -1;
    let at = start;
    while (at < end) {
      let code = units[at] as number;
      let size = 1;
      if ((code & 0xfc00) === 0xd800 && at + 1 < end) {
        code = ((code - 0xd800) << 10) + (units[at + 1] as number) - 0xdc00 + 0x10000;
        size = 2;
      }
      const number = pages[((pageOf[code >> 8] as number) << 8) | (code & 255)] as number;
      let step = next[state + number] as number;
      if (step === UNKNOWN) {
        step = this.#step(state, number);
        next = this.#next;
      }
      if ((step & 1) === 1) matched = at;
      state = step >> 1;
      if (state === DEAD) return matched;
      at += size;
    }
    let step = next[state + width - 1] as number;
    if (step === UNKNOWN) step = this.#step(state, width - 1);
    return (step & 1) === 1 ? end : matched;
  }

  /** Works out one transition and stores it. */
  #step(offset: number, number: number): number {
    if (this.#threads.length >= MAX_AUTOMATON_STATES) {
      const threads = this.#threads[offset / this.#width] as readonly number[];
      this.#forget();
      offset = this.#stateNumber(threads);
    }
    const { instructions } = this.#program;
    const after: number[] = [];
    const seen = new Set<number>();
    let accepted = false;
    const stack: number[] = [];
    for (const thread of this.#threads[offset / this.#width] as readonly number[]) {
      stack.push(thread);
      for (let at = stack.pop(); at !== undefined && !accepted; at = stack.pop()) {
        if (seen.has(at)) continue;
        seen.add(at);
        const instruction = instructions[at];
        if (instruction === undefined) continue;
        if (instruction.op === 'accept') accepted = true;
        else if (instruction.op === 'fork') stack.push(instruction.second, instruction.first);
        else if (instruction.op === 'look') {
          if (this.#holds(number, instruction.set) !== instruction.negated) stack.push(at + 1);
        } else if (this.#holds(number, instruction.set)) after.push(at + 1);
      }
      if (accepted) break;
    }
    const step = 2 * this.#stateNumber(after) + (accepted ? 1 : 0);
    this.#next[offset + number] = step;
    return step;
  }

  #holds(number: number, set: number): boolean {
    return number < this.#classes.count && this.#classes.holds(number, set);
  }

  /** The offset of the state with these threads; state 0 is dead, state 1 the start. */
  #stateNumber(threads: readonly number[]): number {
    const key = threads.join();
    const known = this.#stateOf.get(key);
    if (known !== undefined) return known;
    const offset = this.#threads.length * this.#width;
    this.#threads.push(threads);
    this.#stateOf.set(key, offset);
    if (offset + this.#width > this.#next.length) {
      const grown = new Int32Array(Math.max(16 * this.#width, 2 * this.#next.length)).fill(UNKNOWN);
      grown.set(this.#next);
      this.#next = grown;
    }
    return offset;
  }

  #forget(): void {
    this.#next = new Int32Array(0);
    this.#threads = [];
    this.#stateOf = new Map();
    this.#stateNumber([]);
    this.#stateNumber([0]);
  }
}

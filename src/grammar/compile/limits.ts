import { AppError } from '../../base/index.js';

/** Limits of one grammar. */
export const limits = {
  /** Rules as they are read: more than any schema of 1 MB has places. */
  rules: 1 << 17,
  /** Expressions within each other: they are walked by recursion. */
  depth: 500,
  /** States of all nondeterministic automata. */
  parts: 1 << 18,
  /** States of all deterministic automata. */
  states: 1 << 17,
  /** Elements of all sets of states that are visited, and the edges and calls of each: a second at most. */
  steps: 1 << 21,
  /** Rules that begin with each other, in a row: each is entered before a byte is read. */
  leftCalls: 1 << 8,
} as const;

/** Errors: `grammar_too_large`. */
export function grammarTooLarge(what: keyof typeof limits, found?: number): AppError {
  const limit = limits[what];
  const names: Record<keyof typeof limits, string> = {
    rules: 'rules',
    depth: 'expressions within each other',
    parts: 'states before it is compiled',
    states: 'states',
    steps: 'steps to compile',
    leftCalls: 'rules that begin with each other',
  };
  const size = found === undefined ? `more than ${limit}` : String(found);
  const message = `the grammar has ${size} ${names[what]}, the limit is ${limit}; make it smaller, above all its counts`;
  return new AppError('grammar_too_large', message, { what, limit });
}

/** Counts the size of a grammar. */
export class GrammarSize {
  #parts = 0;
  #steps = 0;
  #states = 0;

  /** Errors: `grammar_too_large`. */
  takeParts(count: number): void {
    this.#parts += count;
    if (this.#parts > limits.parts) throw grammarTooLarge('parts');
  }

  /** Errors: `grammar_too_large`. */
  takeStates(count: number): void {
    this.#states += count;
    if (this.#states > limits.states) throw grammarTooLarge('states');
  }

  /** Errors: `grammar_too_large`. */
  takeSteps(count: number): void {
    this.#steps += count;
    if (this.#steps > limits.steps) throw grammarTooLarge('steps');
  }
}

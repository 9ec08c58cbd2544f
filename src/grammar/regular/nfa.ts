import { classify, type Alphabet } from './alphabet.js';
import { numStates, type Automaton } from './automaton.js';
import { automatonTooLarge, type WorkBudget } from './work-budget.js';
import type { CodePointRanges } from './code-points.js';
import type { Assertion, Pattern } from './pattern.js';

/** States that a pattern may have before it is made deterministic. */
export const MAX_NFA_STATES = 100_000;

/** A nondeterministic automaton: Thompson's construction (Regular Expression Search Algorithm, CACM 11, 1968). */
export interface Nfa {
  readonly alphabet: Alphabet;
  readonly start: number;
  readonly end: number;
  /** [states]: targets without a code point. */
  readonly free: readonly (readonly number[])[];
  /** [states]: targets without a code point where an assertion holds. */
  readonly guarded: readonly (readonly { readonly holds: Assertion; readonly to: number }[])[];
  /** [states]: targets by a code point of one of the classes. */
  readonly moves: readonly (readonly { readonly classes: readonly number[]; readonly to: number }[])[];
  /** [classes]: 1 for classes of word characters; empty without assertions that depend on them. */
  readonly isWord: Uint8Array;
}

/** The code points of `\w`, which `\b` depends on: ECMA-262, WordCharacters. */
export const WORD: CodePointRanges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** The automaton of a pattern. Errors: `grammar_too_large`. */
export function toNfa(pattern: Pattern, budget: WorkBudget): Nfa {
  const sets: CodePointRanges[] = [];
  const indexOfSet = new Map<string, number>();
  const free: number[][] = [];
  const guarded: { holds: Assertion; to: number }[][] = [];
  const raw: { set: number; to: number }[][] = [];
  let asksForWords = false;

  const addState = (): number => {
    if (free.length >= MAX_NFA_STATES) throw automatonTooLarge('states in one pattern', MAX_NFA_STATES);
    budget.spend(4);
    free.push([]);
    guarded.push([]);
    return raw.push([]) - 1;
  };
  const setIndex = (set: CodePointRanges): number => {
    const key = set.join();
    const found = indexOfSet.get(key) ?? sets.push(set) - 1;
    indexOfSet.set(key, found);
    return found;
  };
  /** The state after `of` from `from`. */
  const add = (of: Pattern, from: number): number => {
    switch (of.kind) {
      case 'set': {
        const to = addState();
        raw[from]?.push({ set: setIndex(of.set), to });
        return to;
      }
      case 'sequence':
        return of.parts.reduce((at, part) => add(part, at), from);
      case 'choice': {
        const to = addState();
        for (const option of of.options) {
          const inner = addState();
          free[from]?.push(inner);
          free[add(option, inner)]?.push(to);
        }
        return to;
      }
      case 'repeat':
        return addRepeat(of.of, of.min, of.max, from);
      case 'assertion': {
        const to = addState();
        if (of.holds === 'word-boundary' || of.holds === 'inside-word') asksForWords = true;
        guarded[from]?.push({ holds: of.holds, to });
        return to;
      }
      case 'automaton':
        return addAutomaton(of.automaton, from);
    }
  };
  const addRepeat = (of: Pattern, min: number, max: number | undefined, from: number): number => {
    let at = from;
    for (let i = 0; i < min; i++) at = add(of, at);
    const to = addState();
    if (max === undefined) {
      const loop = addState();
      free[at]?.push(loop);
      free[loop]?.push(to);
      free[add(of, loop)]?.push(loop);
      return to;
    }
    for (let i = min; i < max; i++) {
      free[at]?.push(to);
      const inner = addState();
      free[at]?.push(inner);
      at = add(of, inner);
    }
    free[at]?.push(to);
    return to;
  };
  const addAutomaton = (automaton: Automaton, from: number): number => {
    const states = Array.from({ length: numStates(automaton) }, addState);
    const to = addState();
    const { alphabet, transitions, accepting } = automaton;
    const ranges = rangesByClass(alphabet);
    free[from]?.push(states[0] as number);
    states.forEach((state, index) => {
      if (accepting[index] === 1) free[state]?.push(to);
      ranges.forEach((set, found) => {
        const next = transitions[index * alphabet.numClasses + found] as number;
        budget.spend(1);
        if (next >= 0) raw[state]?.push({ set: setIndex(set), to: states[next] as number });
      });
    });
    return to;
  };

  const start = addState();
  const end = add(pattern, start);
  const { alphabet, classesOf } = classify(asksForWords ? [...sets, WORD] : sets);
  budget.spend(alphabet.starts.length);
  const isWord = new Uint8Array(asksForWords ? alphabet.numClasses : 0);
  if (asksForWords) for (const found of classesOf.at(-1) ?? []) isWord[found] = 1;
  const moves = raw.map((edges) => edges.map(({ set, to }) => ({ classes: classesOf[set] ?? [], to })));
  return { alphabet, start, end, free, guarded, moves, isWord };
}

/** For each class, its code points. */
export function rangesByClass({ starts, classes, numClasses }: Alphabet): CodePointRanges[] {
  const sets: number[][] = Array.from({ length: numClasses }, () => []);
  classes.forEach((found, i) => {
    if (found < 0) return;
    sets[found]?.push(starts[i] as number, (starts[i + 1] ?? 0x110000) - 1);
  });
  return sets;
}

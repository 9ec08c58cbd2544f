import { trim, type Automaton } from './automaton.js';
import { MAX_STATES, tooLarge, type Budget } from './budget.js';
import { minimize } from './minimize.js';
import { toNfa, type Nfa } from './nfa.js';
import type { Assertion, Pattern } from './pattern.js';

/** The minimal automaton of the texts that a pattern matches as a whole. Errors: `grammar_too_large`. */
export function compilePattern(pattern: Pattern, budget: Budget): Automaton {
  return minimize(trim(determinize(toNfa(pattern, budget), budget)), budget);
}

/** What a place is like, as far as assertions ask: 1 at the start, 2 behind a word character. */
type Place = number;
const AT_START: Place = 1;
const AFTER_WORD: Place = 2;

/** What comes next at a place. */
type Next = 'end' | 'word' | 'other';

/** A set of states, and where it stands. */
interface Subset {
  /** Ascending. */
  readonly states: readonly number[];
  readonly place: Place;
}

/** Rabin and Scott's construction of subsets; assertions are decided when the next code point is known. */
function determinize(nfa: Nfa, budget: Budget): Automaton {
  const { numClasses } = nfa.alphabet;
  const asksForStart = nfa.guarded.some((edges) => edges.some(({ holds }) => holds === 'start'));
  const asksForWords = nfa.isWord.length > 0;
  const subsets: Subset[] = [];
  const known = new Map<string, number>();
  const intern = (subset: Subset): number => {
    const key = `${subset.place}:${subset.states.join()}`;
    const found = known.get(key);
    budget.spend(2 + subset.states.length);
    if (found !== undefined) return found;
    if (subsets.length >= MAX_STATES) throw tooLarge('states in one automaton', MAX_STATES);
    known.set(key, subsets.length);
    return subsets.push(subset) - 1;
  };
  const closures = new Map<number, readonly number[]>();
  const closureOf = (state: number): readonly number[] => {
    const found = closures.get(state) ?? closure(nfa, state, budget);
    closures.set(state, found);
    return found;
  };
  const firstPlace = asksForStart ? AT_START : 0;
  intern({ states: closureOf(nfa.start), place: firstPlace });
  const rows: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < subsets.length; i++) {
    const subset = subsets[i] as Subset;
    ends.push(open(nfa, subset, 'end', closureOf).includes(nfa.end) ? 1 : 0);
    const targets: Set<number>[] = Array.from({ length: numClasses }, () => new Set());
    for (const next of asksForWords ? (['word', 'other'] as const) : (['other'] as const)) {
      for (const state of open(nfa, subset, next, closureOf)) {
        for (const { classes, to } of nfa.moves[state] ?? []) {
          for (const found of classes) {
            if (asksForWords && (nfa.isWord[found] === 1) !== (next === 'word')) continue;
            const after = closureOf(to);
            budget.spend(1 + after.length);
            for (const each of after) targets[found]?.add(each);
          }
        }
      }
    }
    budget.spend(numClasses);
    targets.forEach((states, found) => {
      const place = asksForWords && nfa.isWord[found] === 1 ? AFTER_WORD : 0;
      rows.push(states.size === 0 ? -1 : intern({ states: [...states].toSorted((a, b) => a - b), place }));
    });
  }
  return { alphabet: nfa.alphabet, transitions: Int32Array.from(rows), accepting: Uint8Array.from(ends) };
}

/** States that are reached from `state` without a code point or an assertion; only those from which something leads on. */
function closure(nfa: Nfa, state: number, budget: Budget): readonly number[] {
  const seen = new Set([state]);
  for (const each of seen) for (const to of nfa.free[each] ?? []) seen.add(to);
  budget.spend(seen.size);
  const matters = (each: number): boolean =>
    each === nfa.end || (nfa.moves[each]?.length ?? 0) > 0 || (nfa.guarded[each]?.length ?? 0) > 0;
  return [...seen].filter(matters).toSorted((a, b) => a - b);
}

/** The states of a subset, and those behind assertions that hold when `next` follows. */
function open(
  nfa: Nfa,
  { states, place }: Subset,
  next: Next,
  closureOf: (state: number) => readonly number[],
): readonly number[] {
  if (!states.some((state) => (nfa.guarded[state]?.length ?? 0) > 0)) return states;
  const seen = new Set(states);
  for (const state of seen) {
    for (const { holds, to } of nfa.guarded[state] ?? []) {
      if (isTrue(holds, place, next)) for (const each of closureOf(to)) seen.add(each);
    }
  }
  return [...seen];
}

function isTrue(holds: Assertion, place: Place, next: Next): boolean {
  const isBoundary = (place === AFTER_WORD) !== (next === 'word');
  switch (holds) {
    case 'start':
      return place === AT_START;
    case 'end':
      return next === 'end';
    case 'word-boundary':
      return isBoundary;
    case 'inside-word':
      return !isBoundary;
  }
}

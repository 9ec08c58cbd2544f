import { trim, type Automaton } from './automaton.js';
import { MAX_STATES, automatonTooLarge, type WorkBudget } from './work-budget.js';
import { minimize } from './minimize.js';
import { toNfa, type Nfa } from './nfa.js';
import type { Assertion, Pattern } from './pattern.js';

/** The minimal automaton of the texts that a pattern matches as a whole. Errors: `grammar_too_large`. */
export function compilePattern(pattern: Pattern, budget: WorkBudget): Automaton {
  return minimize(trim(determinize(toNfa(pattern, budget), budget)), budget);
}

/** Properties of a position that assertions depend on: 1 at the start, 2 after a word character. */
type Place = number;
const AT_START: Place = 1;
const AFTER_WORD: Place = 2;

/** The next text at a position. */
type Next = 'end' | 'word' | 'other';

/** A set of states, and its position. */
interface Subset {
  /** Ascending. */
  readonly states: readonly number[];
  readonly place: Place;
}

/** Rabin and Scott's construction of subsets; assertions are decided when the next code point is known. */
function determinize(nfa: Nfa, budget: WorkBudget): Automaton {
  const { numClasses } = nfa.alphabet;
  const asksForWords = nfa.isWord.length > 0;
  const subsets = createSubsets(nfa, budget);
  subsets.after([nfa.start], nfa.guarded.some((edges) => edges.some(({ holds }) => holds === 'start')) ? AT_START : 0);
  const rows: number[] = [];
  const ends: number[] = [];
  const nexts: readonly Next[] = asksForWords ? ['word', 'other'] : ['other'];
  for (let i = 0; i < subsets.list.length; i++) {
    const subset = subsets.list[i] as Subset;
    ends.push(open(nfa, subset, 'end', subsets.closureOf).includes(nfa.end) ? 1 : 0);
    const targets: number[][] = Array.from({ length: numClasses }, () => []);
    for (const next of nexts) {
      for (const state of open(nfa, subset, next, subsets.closureOf)) {
        for (const { classes, to } of nfa.moves[state] ?? []) {
          budget.spend(1 + classes.length);
          for (const found of classes) {
            if (!asksForWords || (nfa.isWord[found] === 1) === (next === 'word')) targets[found]?.push(to);
          }
        }
      }
    }
    budget.spend(numClasses);
    targets.forEach((states, found) => {
      const place = asksForWords && nfa.isWord[found] === 1 ? AFTER_WORD : 0;
      rows.push(states.length === 0 ? -1 : subsets.after(states, place));
    });
  }
  return { alphabet: nfa.alphabet, transitions: Int32Array.from(rows), accepting: Uint8Array.from(ends) };
}

/** The subsets that have been come to. */
interface Subsets {
  readonly list: readonly Subset[];
  /** The index of the subset reached from `states`. */
  readonly after: (states: readonly number[], place: Place) => number;
  readonly closureOf: (state: number) => readonly number[];
}

function createSubsets(nfa: Nfa, budget: WorkBudget): Subsets {
  const list: Subset[] = [];
  const known = new Map<string, number>();
  const closures = new Map<number, readonly number[]>();
  // Most moves lead to one state, which is looked up without a key.
  const bySingle = [0, AT_START, AFTER_WORD].map(() => new Map<number, number>());
  const closureOf = (state: number): readonly number[] => {
    const found = closures.get(state);
    if (found !== undefined) return found;
    const made = closure(nfa, state, budget);
    closures.set(state, made);
    return made;
  };
  const intern = (states: readonly number[], place: Place): number => {
    const key = `${place}:${states.join()}`;
    const found = known.get(key);
    budget.spend(2 + states.length);
    if (found !== undefined) return found;
    if (list.length >= MAX_STATES) throw automatonTooLarge('states in one automaton', MAX_STATES);
    known.set(key, list.length);
    return list.push({ states, place }) - 1;
  };
  const after = (states: readonly number[], place: Place): number => {
    const [first = 0] = states;
    if (states.length === 1 || states.every((state) => state === first)) {
      const found = bySingle[place]?.get(first) ?? intern(closureOf(first), place);
      bySingle[place]?.set(first, found);
      return found;
    }
    const all = new Set<number>();
    for (const state of states) for (const each of closureOf(state)) all.add(each);
    budget.spend(all.size + states.length);
    return intern(
      [...all].toSorted((a, b) => a - b),
      place,
    );
  };
  return { list, after, closureOf };
}

/** States that are reached from `state` without a code point or an assertion; only those from which something leads on. */
function closure(nfa: Nfa, state: number, budget: WorkBudget): readonly number[] {
  const seen = new Set([state]);
  for (const each of seen) for (const to of nfa.free[each] ?? []) seen.add(to);
  budget.spend(seen.size);
  const matters = (each: number): boolean =>
    each === nfa.end || (nfa.moves[each]?.length ?? 0) > 0 || (nfa.guarded[each]?.length ?? 0) > 0;
  return [...seen].filter(matters).toSorted((a, b) => a - b);
}

/** The states of a subset, and those after assertions that hold when `next` follows. */
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

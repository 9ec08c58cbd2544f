import { MAX_STATES, automatonTooLarge, type Automaton, type WorkBudget } from '../../regular/index.js';

/** The texts of `min` to `max` code points. Errors: `grammar_too_large`. */
export function lengthAutomaton(min: number, max: number | undefined, budget: WorkBudget): Automaton {
  const last = max ?? min;
  if (last >= MAX_STATES) throw automatonTooLarge('states in one automaton', MAX_STATES);
  budget.spend(last + 1);
  const transitions = Int32Array.from({ length: last + 1 }, (_, i) => i + 1);
  transitions[last] = max === undefined ? last : -1;
  const accepting = Uint8Array.from({ length: last + 1 }, (_, i) => (i >= min ? 1 : 0));
  const alphabet = {
    starts: Int32Array.of(0, 0xd800, 0xe000),
    classes: Int32Array.of(0, -1, 0),
    numClasses: 1,
  };
  return { alphabet, transitions, accepting };
}

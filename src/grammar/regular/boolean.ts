import { refine } from './alphabet.js';
import { trim, type Automaton } from './automaton.js';
import { MAX_STATES, automatonTooLarge, type WorkBudget } from './work-budget.js';
import { minimize } from './minimize.js';

/** Texts that both accept. Errors: `grammar_too_large`. */
export function intersect(a: Automaton, b: Automaton, budget: WorkBudget): Automaton {
  return a === b ? a : combine(a, b, (inA, inB) => inA && inB, budget);
}

/** Texts that one of them accepts. Errors: `grammar_too_large`. */
export function unite(a: Automaton, b: Automaton, budget: WorkBudget): Automaton {
  return a === b ? a : combine(a, b, (inA, inB) => inA || inB, budget);
}

/** Texts that `a` accepts and `b` does not. Errors: `grammar_too_large`. */
export function subtract(a: Automaton, b: Automaton, budget: WorkBudget): Automaton {
  return combine(a, b, (inA, inB) => inA && !inB, budget);
}

/** Texts that it does not accept. */
export function complement({ alphabet, transitions, accepting }: Automaton, budget: WorkBudget): Automaton {
  const { numClasses } = alphabet;
  const sink = accepting.length;
  budget.spend(transitions.length);
  const rows = new Int32Array(transitions.length + numClasses).fill(sink);
  transitions.forEach((next, edge) => {
    if (next >= 0) rows[edge] = next;
  });
  const ends = Uint8Array.from([...accepting, 0], (isEnd) => 1 - isEnd);
  return minimize(trim({ alphabet, transitions: rows, accepting: ends }), budget);
}

/** The product of two automata; where one of them has no state any more it accepts nothing. */
function combine(
  a: Automaton,
  b: Automaton,
  accepts: (inA: boolean, inB: boolean) => boolean,
  budget: WorkBudget,
): Automaton {
  const { alphabet, pairs: classes } = refine(a.alphabet, b.alphabet);
  const states: [number, number][] = [];
  const known = new Map<number, number>();
  const needsA = !accepts(false, true);
  const needsB = !accepts(true, false);
  const intern = (left: number, right: number): number => {
    if ((left < 0 && (needsA || right < 0)) || (right < 0 && needsB)) return -1;
    const key = (left + 1) * (b.accepting.length + 1) + right + 1;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (states.length >= MAX_STATES) throw automatonTooLarge('states in one automaton', MAX_STATES);
    known.set(key, states.length);
    return states.push([left, right]) - 1;
  };
  intern(0, 0);
  const rows: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < states.length; i++) {
    const [left, right] = states[i] as [number, number];
    ends.push(accepts(a.accepting[left] === 1, b.accepting[right] === 1) ? 1 : 0);
    budget.spend(classes.length * 2);
    for (const [inA, inB] of classes) {
      const nextLeft = left < 0 ? -1 : (a.transitions[left * a.alphabet.numClasses + inA] as number);
      const nextRight = right < 0 ? -1 : (b.transitions[right * b.alphabet.numClasses + inB] as number);
      rows.push(intern(nextLeft, nextRight));
    }
  }
  const whole = { alphabet, transitions: Int32Array.from(rows), accepting: Uint8Array.from(ends) };
  return minimize(trim(whole), budget);
}

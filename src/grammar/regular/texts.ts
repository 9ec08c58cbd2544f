import { numStates, type Automaton } from './automaton.js';
import type { WorkBudget } from './work-budget.js';

/** Longer texts are not listed: each code point is one more call on the stack. */
const MAX_LISTED_LENGTH = 2_000;

/** The texts that an automaton accepts, shortest first at each branch; undefined where there are more than `max` or one is long. */
export function listTexts(automaton: Automaton, max: number, budget: WorkBudget): string[] | undefined {
  const { alphabet, transitions, accepting } = automaton;
  const { starts, classes, numClasses } = alphabet;
  const texts: string[] = [];
  const onPath = new Uint8Array(numStates(automaton));
  /** False when there are too many. */
  const visit = (state: number, text: string): boolean => {
    // Each state leads to an accepting one, so that a cycle means texts without end.
    if (onPath[state] === 1 || texts.length > max || text.length > MAX_LISTED_LENGTH) return false;
    onPath[state] = 1;
    if (accepting[state] === 1) texts.push(text);
    for (let i = 0; i < starts.length; i++) {
      const found = classes[i] as number;
      const next = found < 0 ? -1 : (transitions[state * numClasses + found] as number);
      budget.spend(1);
      if (next < 0) continue;
      const past = starts[i + 1] ?? 0x110000;
      if (past - (starts[i] as number) > max) return false;
      for (let codePoint = starts[i] as number; codePoint < past; codePoint++) {
        if (!visit(next, text + String.fromCodePoint(codePoint))) return false;
      }
    }
    onPath[state] = 0;
    return texts.length <= max;
  };
  return accepting.includes(1) && !visit(0, '') ? undefined : texts;
}

/** A shortest text that an automaton accepts; undefined where there is none. */
export function shortestText({ alphabet, transitions, accepting }: Automaton): string | undefined {
  const { starts, classes, numClasses } = alphabet;
  const queue: { state: number; text: string }[] = [{ state: 0, text: '' }];
  const seen = new Set([0]);
  for (const { state, text } of queue) {
    if (accepting[state] === 1) return text;
    classes.forEach((found, i) => {
      const next = found < 0 ? -1 : (transitions[state * numClasses + found] as number);
      if (next < 0 || seen.has(next)) return;
      seen.add(next);
      queue.push({ state: next, text: text + String.fromCodePoint(starts[i] as number) });
    });
  }
  return undefined;
}

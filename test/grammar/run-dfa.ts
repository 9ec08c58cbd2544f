import type { Dfa } from '../../src/grammar/grammar.js';

/** Whether an automaton over bytes accepts a text; the plainest way to run it. */
export function dfaAccepts({ classOf, numClasses, transitions, accepting }: Dfa, text: string | Uint8Array): boolean {
  let state = 0;
  for (const byte of typeof text === 'string' ? new TextEncoder().encode(text) : text) {
    state = transitions[state * numClasses + (classOf[byte] as number)] as number;
    if (state < 0) return false;
  }
  return accepting[state] === 1;
}

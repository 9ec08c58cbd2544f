import type { Automaton, State } from './automaton.js';

/** A rule of at most this many states is taken into those that name it: a call costs a walk about as much. */
const SMALL_STATES = 8;
/** So is one whose texts are all short, up to this many states, such as one character in UTF-8 or as an escape of JSON. */
const SHORT_STATES = 64;
/** Two escapes of JSON, for one character, have twelve bytes. */
const SHORT_BYTES = 12;
/** So is one that may end nearly anywhere, such as `[^"]*`. */
const OPEN_STATES = 512;
/** Bytes that go on where a rule may end, from which on it ends nearly anywhere. */
const OPEN_BYTES = 64;

/**
 * Whether a rule is better inlined into the rules that name it. A called rule pays where tokens stay within it. Where
 * many tokens leave it, because its texts are short or may end anywhere, a mask would have to compute the continuation
 * after each byte.
 */
export function isInlined(automaton: Automaton): boolean {
  const { length } = automaton;
  if (length <= SMALL_STATES) return true;
  if (length <= SHORT_STATES && isShort(automaton)) return true;
  return length <= OPEN_STATES && automaton.some((state) => state.accepting && numBytes(state) >= OPEN_BYTES);
}

/** Whether no text is longer than `SHORT_BYTES`, and no rule is named. */
function isShort(automaton: Automaton): boolean {
  let reached = new Set([0]);
  for (let length = 0; length <= SHORT_BYTES; length++) {
    const next = new Set<number>();
    for (const state of reached) {
      const { edges = [], calls = [] } = automaton[state] ?? {};
      if (calls.length > 0) return false;
      for (let i = 2; i < edges.length; i += 3) next.add(edges[i] as number);
    }
    if (next.size === 0) return true;
    reached = next;
  }
  return false;
}

function numBytes({ edges }: State): number {
  let count = 0;
  for (let i = 0; i < edges.length; i += 3) count += (edges[i + 1] as number) - (edges[i] as number) + 1;
  return count;
}

import { classAt, type Alphabet } from './alphabet.js';

/** A deterministic automaton over code points. It begins in state 0. Each state can reach one that accepts, but for an empty language. */
export interface Automaton {
  readonly alphabet: Alphabet;
  /** [states, classes]: the state that follows, -1 where nothing does. */
  readonly transitions: Int32Array;
  /** [states]: 1 where a text may end. */
  readonly accepting: Uint8Array;
}

/** How many states it has. */
export function numStates({ accepting }: Automaton): number {
  return accepting.length;
}

/** The state after one more code point; -1 where no text goes on so. */
export function step({ alphabet, transitions }: Automaton, state: number, codePoint: number): number {
  const found = classAt(alphabet, codePoint);
  return found < 0 ? -1 : (transitions[state * alphabet.numClasses + found] as number);
}

/** Whether it accepts a text. */
export function acceptsText(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (const char of text) {
    state = step(automaton, state, char.codePointAt(0) ?? 0);
    if (state < 0) return false;
  }
  return automaton.accepting[state] === 1;
}

/** Whether it accepts nothing. */
export function isEmpty({ accepting }: Automaton): boolean {
  return !accepting.includes(1);
}

/** Without states that cannot be reached or that lead to no accepting one. */
export function trim({ alphabet, transitions, accepting }: Automaton): Automaton {
  const { numClasses } = alphabet;
  const reached = reachable(transitions, numClasses, accepting.length);
  const useful = coreachable(transitions, numClasses, accepting, reached);
  if (useful[0] !== 1) {
    return { alphabet, transitions: new Int32Array(numClasses).fill(-1), accepting: new Uint8Array(1) };
  }
  const renamed = new Int32Array(accepting.length).fill(-1);
  let count = 0;
  useful.forEach((isUseful, state) => {
    if (isUseful === 1) renamed[state] = count++;
  });
  if (count === accepting.length) return { alphabet, transitions, accepting };
  const rows = new Int32Array(count * numClasses);
  const ends = new Uint8Array(count);
  renamed.forEach((to, state) => {
    if (to < 0) return;
    ends[to] = accepting[state] as number;
    for (let c = 0; c < numClasses; c++) {
      const next = transitions[state * numClasses + c] as number;
      rows[to * numClasses + c] = next < 0 ? -1 : (renamed[next] as number);
    }
  });
  return { alphabet, transitions: rows, accepting: ends };
}

function reachable(transitions: Int32Array, numClasses: number, states: number): Uint8Array {
  const seen = new Uint8Array(states);
  const queue = [0];
  seen[0] = 1;
  for (const state of queue) {
    for (let c = 0; c < numClasses; c++) {
      const next = transitions[state * numClasses + c] as number;
      if (next < 0 || seen[next] === 1) continue;
      seen[next] = 1;
      queue.push(next);
    }
  }
  return seen;
}

/** Of the states in `among`, those from which an accepting one is reached. */
function coreachable(
  transitions: Int32Array,
  numClasses: number,
  accepting: Uint8Array,
  among: Uint8Array,
): Uint8Array {
  const heads = new Int32Array(accepting.length).fill(-1);
  const links = new Int32Array(transitions.length).fill(-1);
  transitions.forEach((next, edge) => {
    if (next < 0 || among[Math.floor(edge / numClasses)] !== 1) return;
    links[edge] = heads[next] as number;
    heads[next] = edge;
  });
  const useful = new Uint8Array(accepting.length);
  const queue: number[] = [];
  accepting.forEach((isEnd, state) => {
    if (isEnd !== 1 || among[state] !== 1) return;
    useful[state] = 1;
    queue.push(state);
  });
  for (const state of queue) {
    for (let edge = heads[state] as number; edge >= 0; edge = links[edge] as number) {
      const from = Math.floor(edge / numClasses);
      if (useful[from] === 1) continue;
      useful[from] = 1;
      queue.push(from);
    }
  }
  return useful;
}

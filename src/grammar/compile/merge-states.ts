import { RowTable } from '../row-table.js';
import type { Automaton, State } from './automaton.js';
import { findComponents } from './components.js';

/**
 * The same automaton with fewer states: one for each that reads the same, of those that do not lie on a cycle of several
 * states. The first state stays the first.
 */
export function mergeStates(automaton: Automaton): Automaton {
  const targets = automaton.map(({ edges, calls }) => [
    ...edges.filter((_, index) => index % 3 === 2),
    ...calls.filter((_, index) => index % 2 === 1),
  ]);
  const rows = new RowTable();
  /** Of each row: the state that stands for all with it. */
  const standing: number[] = [];
  const nameOf = new Int32Array(automaton.length);
  for (const component of findComponents(targets)) {
    const [state = 0] = component;
    nameOf[state] = state;
    if (component.length > 1) {
      for (const one of component) nameOf[one] = one;
      continue;
    }
    const row = toRow(automaton[state] as State, (target) => (target === state ? -1 : (nameOf[target] as number)));
    const id = rows.intern(row, row.length);
    nameOf[state] = standing[id] ??= state;
  }
  // Nothing leads to the first state, so that it may keep its place when another stands for it.
  const places = new Map<number, number>([[0, 0]]);
  const kept = automaton.flatMap((state, index) => (index === 0 || nameOf[index] === index ? [{ state, index }] : []));
  kept.forEach(({ index }, place) => places.set(index, place));
  return kept.map(({ state: { accepting, edges, calls } }) => {
    const rename = (target: number): number => places.get(nameOf[target] as number) ?? 0;
    return {
      accepting,
      edges: joined(edges.map((value, index) => (index % 3 === 2 ? rename(value) : value))),
      calls: calls.map((value, index) => (index % 2 === 1 ? rename(value) : value)),
    };
  });
}

function toRow({ accepting, edges, calls }: State, nameOf: (target: number) => number): number[] {
  const named = joined(edges.map((value, index) => (index % 3 === 2 ? nameOf(value) : value)));
  const pairs: [number, number][] = [];
  for (let i = 0; i < calls.length; i += 2) pairs.push([calls[i] as number, nameOf(calls[i + 1] as number)]);
  pairs.sort(([a], [b]) => a - b);
  return [accepting ? 1 : 0, named.length, ...named, ...pairs.flat()];
}

/** Ranges that lie side by side and lead to the same state become one. */
function joined(edges: readonly number[]): number[] {
  const result: number[] = [];
  for (let i = 0; i < edges.length; i += 3) {
    const last = result.length - 3;
    const isNext = last >= 0 && result[last + 1] === (edges[i] as number) - 1 && result[last + 2] === edges[i + 2];
    if (isNext) result[last + 1] = edges[i + 1] as number;
    else result.push(edges[i] as number, edges[i + 1] as number, edges[i + 2] as number);
  }
  return result;
}

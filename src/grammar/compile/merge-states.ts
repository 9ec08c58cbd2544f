import { RowTable } from '../row-table.js';
import { type Automaton, NONE, type State } from './automaton.js';
import { findComponents } from './components.js';

/**
 * The same automaton with fewer states: one for each that reads the same, of those that do not lie on a cycle of several
 * states. The first state stays the first.
 */
export function mergeStates(automaton: Automaton): Automaton {
  const targets = automaton.map(({ edges, calls }) => {
    const next: number[] = [];
    for (let i = 2; i < edges.length; i += 3) next.push(edges[i] as number);
    for (let i = 1; i < calls.length; i += 2) next.push(calls[i] as number);
    return next;
  });
  const rows = new RowTable();
  /** For each row: the state that represents all states with it. */
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
  // No transition leads to the first state, so it may keep its index when another represents it.
  const places = new Int32Array(automaton.length);
  let size = 1;
  for (let state = 1; state < automaton.length; state++) if (nameOf[state] === state) places[state] = size++;
  if (size === automaton.length) return automaton;
  const placeOf = (target: number): number => places[nameOf[target] as number] as number;
  const kept = automaton.filter((_, state) => state === 0 || nameOf[state] === state);
  return kept.map(({ accepting, edges, calls }) => ({
    accepting,
    edges: renameEdges(edges, placeOf),
    calls: calls.length === 0 ? NONE : calls.map((value, index) => (index % 2 === 1 ? placeOf(value) : value)),
  }));
}

/** 1 if it accepts, the number of words of its edges, its edges, its calls by rule. */
function toRow({ accepting, edges, calls }: State, nameOf: (target: number) => number): number[] {
  const named = renameEdges(edges, nameOf);
  const row = [accepting ? 1 : 0, named.length, ...named];
  if (calls.length <= 2) {
    if (calls.length === 2) row.push(calls[0] as number, nameOf(calls[1] as number));
    return row;
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < calls.length; i += 2) pairs.push([calls[i] as number, nameOf(calls[i + 1] as number)]);
  pairs.sort(([a], [b]) => a - b);
  for (const pair of pairs) row.push(...pair);
  return row;
}

/** Ranges that lie side by side and lead to the same state become one. */
function renameEdges(edges: readonly number[], nameOf: (target: number) => number): number[] {
  const result: number[] = [];
  for (let i = 0; i < edges.length; i += 3) {
    const last = result.length - 3;
    const target = nameOf(edges[i + 2] as number);
    const isNext = last >= 0 && result[last + 1] === (edges[i] as number) - 1 && result[last + 2] === target;
    if (isNext) result[last + 1] = edges[i + 1] as number;
    else result.push(edges[i] as number, edges[i + 1] as number, target);
  }
  return result;
}

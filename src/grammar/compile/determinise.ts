import { RowTable } from '../row-table.js';
import type { Automaton, Nfa, NfaState, State } from './automaton.js';
import { limits, tooLarge, type Budget } from './limits.js';

/**
 * The subset construction, with calls of rules read like bytes. The result begins in a state of its own, which nothing
 * leads back to and which is not accepting: the empty text is its callers' matter. States without an end ahead are left
 * out. Errors: `grammar_too_large`.
 */
export function determinise(nfa: Nfa, budget: Budget): Automaton {
  return withoutDeadEnds(new Subsets(nfa, budget).run());
}

class Subsets {
  readonly #nfa: Nfa;
  readonly #budget: Budget;
  readonly #rows = new RowTable();
  readonly #states: State[] = [];
  /** [NFA states]: the result's state for the closure of one state alone, or -1. */
  readonly #single: Int32Array;
  /** [NFA states]: the last closure that the state was seen in. */
  readonly #seen: Int32Array;
  #closures = 0;

  constructor(nfa: Nfa, budget: Budget) {
    this.#nfa = nfa;
    this.#budget = budget;
    this.#single = new Int32Array(nfa.states.length).fill(-1);
    this.#seen = new Int32Array(nfa.states.length).fill(-1);
  }

  run(): State[] {
    this.#states.push({ accepting: false, edges: [], calls: [] });
    this.#follow(0, this.#closure([0]));
    // States are added while the list is walked.
    for (let id = 0; id < this.#rows.size; id++) {
      const members = [...this.#rows.data.subarray(this.#rows.startOf(id), this.#rows.endOf(id))];
      this.#follow(id + 1, members);
    }
    return this.#states;
  }

  /** Fills the edges and calls of state `id` of the result, which is the set `members`. */
  #follow(id: number, members: readonly number[]): void {
    const edges: number[] = [];
    const callees = new Map<number, number[]>();
    for (const member of members) {
      const { edges: own, calls } = this.#nfa.at(member);
      for (const value of own) edges.push(value);
      for (let i = 0; i < calls.length; i += 2) {
        const rule = calls[i] as number;
        const returns = callees.get(rule) ?? [];
        returns.push(calls[i + 1] as number);
        callees.set(rule, returns);
      }
    }
    const state = this.#states[id] as State;
    this.#addEdges(state.edges, edges);
    for (const [rule, returns] of callees) state.calls.push(rule, this.#stateOf(returns));
  }

  #addEdges(out: number[], edges: readonly number[]): void {
    if (edges.length === 3) {
      out.push(edges[0] as number, edges[1] as number, this.#stateOf([edges[2] as number]));
      return;
    }
    for (const { lo, hi, targets } of toDisjoint(edges)) {
      const target = this.#stateOf(targets);
      const last = out.length - 3;
      if (last >= 0 && out[last + 2] === target && out[last + 1] === lo - 1) out[last + 1] = hi;
      else out.push(lo, hi, target);
    }
  }

  /** The result's state for all that follows `targets` without reading. */
  #stateOf(targets: readonly number[]): number {
    const [first, second] = targets;
    const alone = second === undefined && first !== undefined ? first : -1;
    if (alone !== -1 && this.#single[alone] !== -1) return this.#single[alone] as number;
    const members = this.#closure(targets);
    const id = this.#rows.intern(members, members.length) + 1;
    if (id === this.#states.length) {
      if (id > limits.states) throw tooLarge('states');
      this.#states.push({ accepting: members.some((member) => this.#nfa.at(member).accepting), edges: [], calls: [] });
    }
    if (alone !== -1) this.#single[alone] = id;
    return id;
  }

  /** Those of the states that `targets` lead to without reading that read something or accept, in order. */
  #closure(targets: readonly number[]): number[] {
    const closure = this.#closures++;
    const found: number[] = [];
    const members: number[] = [];
    const visit = (state: number): void => {
      if (this.#seen[state] === closure) return;
      this.#seen[state] = closure;
      found.push(state);
    };
    targets.forEach(visit);
    // The list grows while it is walked.
    for (const member of found) {
      const state = this.#nfa.at(member);
      state.empty.forEach(visit);
      if (matters(state)) members.push(member);
    }
    this.#budget.takeSteps(found.length);
    return members.toSorted((a, b) => a - b);
  }
}

function matters({ accepting, edges, calls }: NfaState): boolean {
  return accepting || edges.length > 0 || calls.length > 0;
}

/** Ranges of bytes that do not overlap, each with the states that all edges over it lead to. */
function toDisjoint(edges: readonly number[]): { lo: number; hi: number; targets: number[] }[] {
  const begins = new Uint8Array(257);
  for (let i = 0; i < edges.length; i += 3) {
    begins[edges[i] as number] = 1;
    begins[(edges[i + 1] as number) + 1] = 1;
  }
  const parts: { lo: number; hi: number; targets: number[] }[] = [];
  const partOf = new Int16Array(256).fill(-1);
  for (let byte = 0; byte < 256; byte++) {
    if (begins[byte] === 1) parts.push({ lo: byte, hi: byte, targets: [] });
    const part = parts.at(-1);
    if (part !== undefined) part.hi = byte;
    partOf[byte] = parts.length - 1;
  }
  for (let i = 0; i < edges.length; i += 3) {
    const last = partOf[edges[i + 1] as number] as number;
    for (let part = partOf[edges[i] as number] as number; part <= last; part++) {
      parts[part]?.targets.push(edges[i + 2] as number);
    }
  }
  return parts.filter(({ targets }) => targets.length > 0);
}

/** Without the states that lead to no accepting one; the first stays. */
function withoutDeadEnds(states: readonly State[]): State[] {
  const sources: number[][] = states.map(() => []);
  states.forEach(({ edges, calls }, state) => {
    for (let i = 2; i < edges.length; i += 3) sources[edges[i] as number]?.push(state);
    for (let i = 1; i < calls.length; i += 2) sources[calls[i] as number]?.push(state);
  });
  const live = states.map(({ accepting }) => accepting);
  const found = live.flatMap((isLive, state) => (isLive ? [state] : []));
  for (const state of found) {
    for (const source of sources[state] ?? []) {
      if (live[source] === true) continue;
      live[source] = true;
      found.push(source);
    }
  }
  live[0] = true;
  let next = 0;
  const renamed = live.map((isLive) => (isLive ? next++ : -1));
  return states.flatMap(({ accepting, edges, calls }, state) =>
    live[state] === true ? [{ accepting, edges: kept(edges, 3, renamed), calls: kept(calls, 2, renamed) }] : [],
  );
}

/** The tuples of `width` whose last number, a state, is kept; with its new number. */
function kept(tuples: readonly number[], width: number, renamed: readonly number[]): number[] {
  const result: number[] = [];
  for (let i = 0; i < tuples.length; i += width) {
    const target = renamed[tuples[i + width - 1] as number] as number;
    if (target === -1) continue;
    for (let k = 0; k < width - 1; k++) result.push(tuples[i + k] as number);
    result.push(target);
  }
  return result;
}

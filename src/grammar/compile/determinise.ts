import { RowTable } from '../row-table.js';
import { type Automaton, type Nfa, NONE, type State } from './automaton.js';
import type { GrammarSize } from './limits.js';

/**
 * The subset construction, with calls of rules read like bytes. The result begins in a state of its own, which nothing
 * leads back to and which is not accepting: the empty text is its callers' matter. States without an end ahead are left
 * out. Errors: `grammar_too_large`.
 */
export function determinise(nfa: Nfa, budget: GrammarSize): Automaton {
  return withoutDeadEnds(new Subsets(nfa, budget).run());
}

class Subsets {
  readonly #nfa: Nfa;
  readonly #budget: GrammarSize;
  readonly #rows = new RowTable();
  readonly #accepting: boolean[] = [];
  readonly #edges: (readonly number[])[] = [];
  readonly #calls: (readonly number[])[] = [];
  /** [NFA states]: the result's state for the closure of one state alone, or -1. */
  readonly #single: Int32Array;
  /** [NFA states]: the last closure that the state was seen in. */
  readonly #seen: Int32Array;
  readonly #ranges = new Ranges();
  #closures = 0;
  readonly #found: number[] = [];
  readonly #members: number[] = [];

  constructor(nfa: Nfa, budget: GrammarSize) {
    this.#nfa = nfa;
    this.#budget = budget;
    this.#single = new Int32Array(nfa.size).fill(-1);
    this.#seen = new Int32Array(nfa.size).fill(-1);
  }

  run(): State[] {
    this.#accepting.push(false);
    this.#follow([...this.#closure([0])]);
    // Rows are added while they are walked.
    for (let id = 0; id < this.#rows.size; id++) {
      this.#follow(this.#rows.data.slice(this.#rows.startOf(id), this.#rows.endOf(id)));
    }
    return this.#accepting.map((accepting, state) => ({
      accepting,
      edges: this.#edges[state] ?? NONE,
      calls: this.#calls[state] ?? NONE,
    }));
  }

  /** Adds the edges and calls of the next state of the result, which is the set `members`. */
  #follow(members: Int32Array | readonly number[]): void {
    const edges: number[] = [];
    const calls: number[] = [];
    for (const member of members) {
      for (const value of this.#nfa.edgesOf(member)) edges.push(value);
      for (const value of this.#nfa.callsOf(member)) calls.push(value);
    }
    this.#budget.takeSteps(members.length + edges.length / 3 + calls.length / 2);
    this.#edges.push(this.#joinEdges(edges));
    this.#calls.push(calls.length === 0 ? NONE : this.#joinCalls(calls));
  }

  #joinCalls(calls: readonly number[]): number[] {
    const callees = new Map<number, number[]>();
    for (let i = 0; i < calls.length; i += 2) {
      const rule = calls[i] as number;
      const returns = callees.get(rule) ?? [];
      returns.push(calls[i + 1] as number);
      callees.set(rule, returns);
    }
    return [...callees].flatMap(([rule, returns]) => [rule, this.#stateOf(returns)]);
  }

  #joinEdges(edges: readonly number[]): readonly number[] {
    if (edges.length === 0) return NONE;
    if (edges.length === 3) return [edges[0] as number, edges[1] as number, this.#stateOf([edges[2] as number])];
    const out: number[] = [];
    const { firsts, lasts, targets } = this.#ranges;
    this.#ranges.split(edges);
    for (let range = 0; range < firsts.length; range++) {
      const reached = targets[range] as number[];
      if (reached.length === 0) continue;
      const target = this.#stateOf(reached);
      const first = firsts[range] as number;
      const last = out.length - 3;
      if (last >= 0 && out[last + 2] === target && out[last + 1] === first - 1) out[last + 1] = lasts[range] as number;
      else out.push(first, lasts[range] as number, target);
    }
    return out;
  }

  /** The result's state for all that follows `targets` without reading. */
  #stateOf(targets: readonly number[]): number {
    const [first, second] = targets;
    const alone = second === undefined && first !== undefined ? first : -1;
    if (alone !== -1 && this.#single[alone] !== -1) return this.#single[alone] as number;
    const members = this.#closure(targets);
    const id = this.#rows.intern(members, members.length) + 1;
    if (id === this.#accepting.length) {
      this.#budget.takeStates(1);
      this.#accepting.push(members.some((member) => this.#nfa.isAccepting(member)));
    }
    if (alone !== -1) this.#single[alone] = id;
    return id;
  }

  /** The states that `targets` reach without reading and that read or accept, in order; valid until the next call. */
  #closure(targets: readonly number[]): number[] {
    const closure = this.#closures++;
    const found = this.#found;
    const members = this.#members;
    found.length = members.length = 0;
    for (const target of targets) this.#visit(target, closure, found);
    // The list grows while it is walked.
    for (const member of found) {
      for (const next of this.#nfa.emptyOf(member)) this.#visit(next, closure, found);
      if (matters(this.#nfa, member)) members.push(member);
    }
    this.#budget.takeSteps(found.length);
    return members.length > 1 ? members.toSorted((a, b) => a - b) : members;
  }

  #visit(state: number, closure: number, found: number[]): void {
    if (this.#seen[state] === closure) return;
    this.#seen[state] = closure;
    found.push(state);
  }
}

function matters(nfa: Nfa, state: number): boolean {
  return nfa.edgesOf(state).length > 0 || nfa.isAccepting(state) || nfa.callsOf(state).length > 0;
}

/** Ranges of bytes that do not overlap, each with the states that all edges over it lead to. */
class Ranges {
  readonly #begins = new Uint8Array(257);
  /** [256]: the range of each byte that any edge is over. */
  readonly #rangeOf = new Int16Array(256);
  readonly firsts: number[] = [];
  readonly lasts: number[] = [];
  readonly targets: number[][] = [];

  /** Fills the lists. Bytes that no edge is over may be in a range without targets. */
  split(edges: readonly number[]): void {
    this.#begins.fill(0);
    for (let i = 0; i < edges.length; i += 3) {
      this.#begins[edges[i] as number] = 1;
      this.#begins[(edges[i + 1] as number) + 1] = 1;
    }
    this.firsts.length = this.lasts.length = this.targets.length = 0;
    for (let byte = 0; byte < 256; byte++) {
      if (this.#begins[byte] === 1) {
        this.firsts.push(byte);
        this.targets.push([]);
      }
      const range = this.firsts.length - 1;
      this.#rangeOf[byte] = range;
      if (range >= 0) this.lasts[range] = byte;
    }
    for (let i = 0; i < edges.length; i += 3) {
      const last = this.#rangeOf[edges[i + 1] as number] as number;
      for (let range = this.#rangeOf[edges[i] as number] as number; range <= last; range++) {
        this.targets[range]?.push(edges[i + 2] as number);
      }
    }
  }
}

/** Without the states that lead to no accepting one; the first stays. */
function withoutDeadEnds(states: Automaton): Automaton {
  const sources: number[][] = states.map(() => []);
  states.forEach(({ edges, calls }, state) => {
    for (let i = 2; i < edges.length; i += 3) sources[edges[i] as number]?.push(state);
    for (let i = 1; i < calls.length; i += 2) sources[calls[i] as number]?.push(state);
  });
  const live = states.map(({ accepting }) => accepting);
  const found: number[] = [];
  live.forEach((isLive, state) => isLive && found.push(state));
  for (const state of found) {
    for (const source of sources[state] ?? []) {
      if (live[source] === true) continue;
      live[source] = true;
      found.push(source);
    }
  }
  if (live.every((isLive, state) => isLive || state === 0)) return states;
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

// The automaton of one rule while it is made. Both forms have states by number and begin in state 0.

/** The transitions of a state. */
export interface State {
  /** A text of the rule may end here. */
  readonly accepting: boolean;
  /** Triples of the first byte, the last byte and the state they lead to. */
  readonly edges: readonly number[];
  /** Pairs of a rule that is read and the state that follows. */
  readonly calls: readonly number[];
}

/** For each byte and for each rule a state has at most one that follows; edges are in the order of their bytes. */
export type Automaton = readonly State[];

/** Most states have no calls, and many nothing to follow without reading: they share this. */
export const NONE: readonly number[] = [];

/** An automaton that is put together: several states may follow one, and some without reading. */
export class Nfa {
  readonly #accepting: boolean[] = [];
  readonly #edges: (readonly number[])[] = [];
  readonly #calls: (readonly number[])[] = [];
  readonly #empty: (readonly number[])[] = [];

  /** States so far. */
  get size(): number {
    return this.#accepting.length;
  }

  /** A new state. */
  add(accepting = false): number {
    this.#edges.push(NONE);
    this.#calls.push(NONE);
    this.#empty.push(NONE);
    return this.#accepting.push(accepting) - 1;
  }

  /** Whether a text may end in the state. */
  isAccepting(state: number): boolean {
    return this.#accepting[state] === true;
  }

  /** Triples of the first byte, the last byte and the state they lead to, which may overlap. */
  edgesOf(state: number): readonly number[] {
    return this.#edges[state] ?? NONE;
  }

  /** Pairs of a rule that is read and the state that follows. */
  callsOf(state: number): readonly number[] {
    return this.#calls[state] ?? NONE;
  }

  /** States that follow without reading. */
  emptyOf(state: number): readonly number[] {
    return this.#empty[state] ?? NONE;
  }

  /** The bytes `first` to `last` lead from one state to another. */
  addEdge(from: number, first: number, last: number, to: number): void {
    append(this.#edges, from, first, last, to);
  }

  /** A whole rule leads from one state to another. */
  addCall(from: number, rule: number, to: number): void {
    append(this.#calls, from, rule, to);
  }

  /** Nothing leads from one state to another. */
  addEmpty(from: number, to: number): void {
    append(this.#empty, from, to);
  }

  /** Puts `automaton` between two states, without its empty text if it has one. Nothing leads back to its beginning. */
  embed(automaton: Automaton, from: number, to: number): void {
    const first = this.size - 1;
    for (let i = 1; i < automaton.length; i++) this.add();
    automaton.forEach(({ accepting, edges, calls }, state) => {
      const place = state === 0 ? from : first + state;
      for (let i = 0; i < edges.length; i += 3) {
        this.addEdge(place, edges[i] as number, edges[i + 1] as number, first + (edges[i + 2] as number));
      }
      for (let i = 0; i < calls.length; i += 2) {
        this.addCall(place, calls[i] as number, first + (calls[i + 1] as number));
      }
      if (accepting && state > 0) this.addEmpty(place, to);
    });
  }
}

function append(lists: (readonly number[])[], state: number, ...values: readonly number[]): void {
  const list = lists[state] as number[];
  if (list === NONE) lists[state] = values;
  else list.push(...values);
}

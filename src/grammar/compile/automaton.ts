// The automaton of one rule while it is made. Both forms have states by number and begin in state 0.

/** What leads on from a state by reading. */
export interface State {
  /** A text of the rule may end here. */
  accepting: boolean;
  /** Triples of the first byte, the last byte and the state they lead to. */
  readonly edges: number[];
  /** Pairs of a rule that is read and the state that follows. */
  readonly calls: number[];
}

/** For each byte and for each rule a state has at most one that follows; edges are in the order of their bytes. */
export type Automaton = readonly State[];

/** A state that several may follow. */
export interface NfaState extends State {
  /** States that follow without reading. */
  readonly empty: number[];
}

/** An automaton that is put together. */
export class Nfa {
  readonly states: NfaState[] = [];

  /** A new state. */
  add(): number {
    return this.states.push({ accepting: false, edges: [], calls: [], empty: [] }) - 1;
  }

  /** The state of that number. */
  at(state: number): NfaState {
    return this.states[state] as NfaState;
  }

  /** Puts `automaton` between two states, without its empty text if it has one. Nothing leads back to its beginning. */
  embed(automaton: Automaton, from: number, to: number): void {
    const first = this.states.length - 1;
    for (let i = 1; i < automaton.length; i++) this.add();
    const place = (state: number): number => first + state;
    automaton.forEach(({ accepting, edges, calls }, state) => {
      const target = this.at(state === 0 ? from : place(state));
      for (let i = 0; i < edges.length; i += 3) {
        target.edges.push(edges[i] as number, edges[i + 1] as number, place(edges[i + 2] as number));
      }
      for (let i = 0; i < calls.length; i += 2) target.calls.push(calls[i] as number, place(calls[i + 1] as number));
      if (accepting && state > 0) target.empty.push(to);
    });
  }
}

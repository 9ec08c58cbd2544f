/**
 * A compiled grammar: plain data that crosses threads. Each rule is a deterministic automaton whose transitions read a
 * range of bytes or a whole rule. A rule comes before the rules that it begins with. No rule has the empty text, and
 * each state can reach an end.
 */
export interface CompiledGrammar {
  /** Whether the empty text is a text of the grammar. */
  readonly hasEmpty: boolean;
  /** The rule that the whole text follows. */
  readonly start: number;
  /** [rules + 1]: the states of a rule begin here, with the one it begins in; last the number of states. */
  readonly ruleStates: Int32Array;
  /** [states]: 1 where a rule may end. */
  readonly accepting: Uint8Array;
  /** [states + 1]: the edges of a state begin here, in the order of their bytes. */
  readonly edgeOffsets: Int32Array;
  /** [edges, 2]: first and last byte. */
  readonly edgeBytes: Uint8Array;
  /** [edges]: the state that follows. */
  readonly edgeTargets: Int32Array;
  /** [states + 1]: the calls of a state begin here. */
  readonly callOffsets: Int32Array;
  /** [calls, 2]: the rule that is read and the state that follows it; -1 where that would be the end of the rule and nothing else. */
  readonly calls: Int32Array;
}

/** A call after which the calling rule ends as well. */
export const TAIL_CALL = -1;

import type { Dfa, Expression } from '../grammar.js';
import { Nfa, NONE, type Automaton } from './automaton.js';
import type { GrammarSize } from './limits.js';

/** How a rule's automaton includes the rules and parts that it names. */
export interface Callees {
  /** The automaton of rule `rule` that is taken in whole; undefined where it is called. */
  readonly inlined: (rule: number) => Automaton | undefined;
  readonly hasEmpty: (rule: number) => boolean;
  /** Whether the rule has a text that is not empty. */
  readonly hasOthers: (rule: number) => boolean;
  /** The rule of a regular part with the bytes after it; undefined where the part is inlined. */
  readonly ruleOf: (dfa: Dfa, end: Uint8Array) => number | undefined;
}

/** The automaton of one expression (K. Thompson, Regular expression search algorithm, CACM 11, 1968), with calls. */
export function buildRule(expression: Expression, callees: Callees, budget: GrammarSize): Nfa {
  const builder = new Builder(callees, budget);
  const from = builder.nfa.add();
  const to = builder.nfa.add(true);
  builder.build(expression, from, to);
  return builder.nfa;
}

const NO_BYTES = new Uint8Array();

class Builder {
  readonly nfa = new Nfa();
  readonly #callees: Callees;
  readonly #budget: GrammarSize;

  constructor(callees: Callees, budget: GrammarSize) {
    this.#callees = callees;
    this.#budget = budget;
  }

  /** Puts `expression` between two states. */
  build(expression: Expression, from: number, to: number): void {
    switch (expression.kind) {
      case 'bytes':
        return this.#bytes(expression.bytes, from, to);
      case 'regular':
        return this.#regular(expression.dfa, from, to);
      case 'sequence':
        return this.#sequence(expression.parts, from, to);
      case 'choice':
        for (const option of expression.options) this.build(option, from, to);
        return;
      case 'repeat':
        return this.#repeat(expression.of, expression.min, expression.max, from, to);
      case 'rule':
        return this.#rule(expression.rule, from, to);
    }
  }

  #add(): number {
    this.#budget.takeParts(1);
    return this.nfa.add();
  }

  #bytes(bytes: Uint8Array, from: number, to: number): void {
    let state = from;
    bytes.forEach((byte, index) => {
      const next = index === bytes.length - 1 ? to : this.#add();
      this.nfa.addEdge(state, byte, byte, next);
      state = next;
    });
    if (bytes.length === 0) this.nfa.addEmpty(from, to);
  }

  #sequence(parts: readonly Expression[], from: number, to: number): void {
    let state = from;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Expression;
      const following = parts[index + 1];
      // With its end a rule of a string's contents is left at one place only, and not nearly anywhere.
      const hasEnd = part.kind === 'regular' && following?.kind === 'bytes' && following.bytes.length > 0;
      const rule = hasEnd ? this.#callees.ruleOf(part.dfa, following.bytes) : undefined;
      if (rule !== undefined) index++;
      const next = index === parts.length - 1 ? to : this.#add();
      if (rule === undefined) this.build(part, state, next);
      else this.#rule(rule, state, next);
      state = next;
    }
    if (parts.length === 0) this.nfa.addEmpty(from, to);
  }

  /** x{2,4} is x x (x (x)?)?: each state is followed by one copy and by the end, and not by all copies ahead. */
  #repeat(of: Expression, min: number, max: number | undefined, from: number, to: number): void {
    let state = from;
    const step = (): void => {
      const next = this.#add();
      this.build(of, state, next);
      state = next;
    };
    // A step costs at least a state, so that the budget ends an excessive repetition.
    for (let i = 0; i < min; i++) step();
    if (max === undefined) {
      const round = this.#add();
      this.nfa.addEmpty(state, round);
      this.build(of, round, round);
      state = round;
    } else {
      for (let i = min; i < max; i++) {
        this.nfa.addEmpty(state, to);
        step();
      }
    }
    this.nfa.addEmpty(state, to);
  }

  #rule(rule: number, from: number, to: number): void {
    const { hasEmpty, hasOthers, inlined } = this.#callees;
    if (hasEmpty(rule)) this.nfa.addEmpty(from, to);
    if (!hasOthers(rule)) return;
    const automaton = inlined(rule);
    if (automaton === undefined) this.nfa.addCall(from, rule, to);
    else this.#embed(automaton, from, to);
  }

  #regular(dfa: Dfa, from: number, to: number): void {
    const rule = this.#callees.ruleOf(dfa, NO_BYTES);
    if (rule !== undefined) return this.#rule(rule, from, to);
    if (dfa.accepting[0] === 1) this.nfa.addEmpty(from, to);
    this.#embed(fromDfa(dfa), from, to);
  }

  #embed(automaton: Automaton, from: number, to: number): void {
    this.#budget.takeParts(automaton.length);
    this.nfa.embed(automaton, from, to);
  }
}

/** The same automaton with ranges of bytes, and a beginning that nothing leads back to. */
function fromDfa({ classOf, numClasses, transitions, accepting }: Dfa): Automaton {
  const edgesOf = (state: number): number[] => {
    const edges: number[] = [];
    for (let byte = 0; byte < 256; byte++) {
      const target = transitions[state * numClasses + (classOf[byte] as number)] as number;
      if (target < 0) continue;
      const last = edges.length - 3;
      if (last >= 0 && edges[last + 1] === byte - 1 && edges[last + 2] === target + 1) edges[last + 1] = byte;
      else edges.push(byte, byte, target + 1);
    }
    return edges;
  };
  const states = Array.from(accepting, (flag, state) => ({
    accepting: flag === 1,
    edges: edgesOf(state),
    calls: NONE,
  }));
  return [{ accepting: false, edges: edgesOf(0), calls: NONE }, ...states];
}

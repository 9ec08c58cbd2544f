import type { Dfa, Expression } from '../grammar.js';
import type { Automaton } from './automaton.js';
import { buildRule } from './build-rule.js';
import { determinise } from './determinise.js';
import { isInlined } from './inline.js';
import type { GrammarSize } from './limits.js';

/** The regular parts of a grammar that become rules of their own, after the grammar's rules. */
export class RegularRules {
  /** By rule. */
  readonly #automata: (Automaton | undefined)[];
  readonly #budget: GrammarSize;
  /** By automaton, then by the bytes after it; null for a part that is inlined. */
  readonly #rules = new Map<Dfa, Map<string, number | null>>();
  readonly #withEmpty = new Set<number>();

  /** Adds rules to `automata`. */
  constructor(automata: (Automaton | undefined)[], budget: GrammarSize) {
    this.#automata = automata;
    this.#budget = budget;
  }

  /** Whether a rule that was added has the empty text, which is not in its automaton. */
  hasEmpty(rule: number): boolean {
    return this.#withEmpty.has(rule);
  }

  /** The rule for the texts of `dfa` followed by `end`; undefined where it is better inlined. */
  ruleOf(dfa: Dfa, end: Uint8Array): number | undefined {
    const known = this.#rules.get(dfa) ?? new Map<string, number | null>();
    this.#rules.set(dfa, known);
    const key = end.join();
    const rule = known.get(key) ?? (known.has(key) ? null : this.#add(dfa, end));
    known.set(key, rule);
    return rule ?? undefined;
  }

  #add(dfa: Dfa, end: Uint8Array): number | null {
    const whole: Expression = { kind: 'regular', dfa };
    const isAlone = end.length === 0;
    const expression: Expression = isAlone
      ? whole
      : { kind: 'sequence', parts: [whole, { kind: 'bytes', bytes: end }] };
    const automaton = determinise(buildRule(expression, NO_RULES, this.#budget), this.#budget);
    if (isInlined(automaton)) return null;
    const rule = this.#automata.push(automaton) - 1;
    if (isAlone && dfa.accepting[0] === 1) this.#withEmpty.add(rule);
    return rule;
  }
}

/** A regular part names no rules. */
const NO_RULES = {
  inlined: () => undefined,
  hasEmpty: () => false,
  hasOthers: () => false,
  ruleOf: () => undefined,
};

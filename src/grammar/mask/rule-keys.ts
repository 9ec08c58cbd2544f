import { createHash } from 'node:crypto';
import type { CompiledGrammar } from '../compile/index.js';

/** Rules of more states are seldom equal to another's. */
const MAX_STATES = 1 << 13;

/**
 * Names the states of rules by the texts that they read. Two states of any grammars share a name if their rules are
 * equal and they have the same position in them. Only for rules that name no others.
 */
export class RuleKeys {
  readonly #grammar: CompiledGrammar;
  /** By rule: its name; undefined where it has none. */
  readonly #keys = new Map<number, string | undefined>();
  /** [states]: the place in its rule, of those whose rule has a name. */
  readonly #places: Int32Array;

  constructor(grammar: CompiledGrammar) {
    this.#grammar = grammar;
    this.#places = new Int32Array(grammar.accepting.length);
  }

  /** The name of a state; undefined where it has none. */
  of(state: number): string | undefined {
    const rule = this.#ruleOf(state);
    const key = this.#keys.has(rule) ? this.#keys.get(rule) : this.#add(rule);
    return key === undefined ? undefined : `${key} ${this.#places[state] as number}`;
  }

  #add(rule: number): string | undefined {
    const { ruleStates, callOffsets } = this.#grammar;
    const first = ruleStates[rule] as number;
    const end = ruleStates[rule + 1] as number;
    const isNamed = end - first <= MAX_STATES && callOffsets[first] === callOffsets[end];
    const key = isNamed ? this.#hash(first) : undefined;
    this.#keys.set(rule, key);
    return key;
  }

  /** A hash of all that the rule reads, with its states in the order in which they are met. */
  #hash(first: number): string {
    const { accepting, edgeOffsets, edgeBytes, edgeTargets } = this.#grammar;
    const places = new Map<number, number>([[first, 0]]);
    const words: number[] = [];
    // The map grows while it is walked.
    for (const [state, place] of places) {
      this.#places[state] = place;
      const end = edgeOffsets[state + 1] as number;
      words.push(accepting[state] as number, end - (edgeOffsets[state] as number));
      for (let edge = edgeOffsets[state] as number; edge < end; edge++) {
        const target = edgeTargets[edge] as number;
        const known = places.get(target) ?? places.size;
        places.set(target, known);
        words.push(edgeBytes[2 * edge] as number, edgeBytes[2 * edge + 1] as number, known);
      }
    }
    return createHash('sha256').update(Int32Array.from(words)).digest('base64');
  }

  #ruleOf(state: number): number {
    const { ruleStates } = this.#grammar;
    let low = 0;
    let high = ruleStates.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((ruleStates[middle] as number) <= state) low = middle;
      else high = middle;
    }
    return low;
  }
}

import type { Expression, Grammar } from '../../grammar.js';
import { automatonTooLarge, type WorkBudget } from '../../regular/index.js';

/** Rules that one grammar may have. */
export const MAX_RULES = 50_000;

/** A grammar while it is made. */
export interface GrammarBuilder {
  readonly budget: WorkBudget;
  /** A rule that `define` fills later. */
  readonly declare: () => number;
  readonly define: (rule: number, expression: Expression) => void;
  /** The rule of a key; the result of `make` is computed once, after the caller is done. */
  readonly later: (key: string, make: () => Expression) => Expression;
  /** Works out all that `later` was asked for. */
  readonly finish: () => void;
  readonly toGrammar: (start: Expression) => Grammar;
}

/** An empty grammar. Errors of its functions: `grammar_too_large`. */
export function createBuilder(budget: WorkBudget): GrammarBuilder {
  const rules: Expression[] = [];
  const byKey = new Map<string, number>();
  const open: { rule: number; make: () => Expression }[] = [];
  const declare = (): number => {
    if (rules.length >= MAX_RULES) throw automatonTooLarge('rules', MAX_RULES);
    budget.spend(30);
    return rules.push(NEVER) - 1;
  };
  return {
    budget,
    declare,
    define(rule, expression) {
      rules[rule] = expression;
    },
    later(key, make) {
      const found = byKey.get(key);
      if (found !== undefined) return { kind: 'rule', rule: found };
      const rule = declare();
      byKey.set(key, rule);
      open.push({ rule, make });
      return { kind: 'rule', rule };
    },
    finish() {
      for (let next = open.pop(); next !== undefined; next = open.pop()) rules[next.rule] = next.make();
    },
    toGrammar: (start) => ({ rules: [...rules, start], start: rules.length }),
  };
}

/** No text at all. */
export const NEVER: Expression = { kind: 'choice', options: [] };
/** The empty text. */
export const EMPTY: Expression = { kind: 'bytes', bytes: new Uint8Array(0) };

/** The bytes of a text. */
export function bytes(text: string): Expression {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text) };
}

/** One after the other; bytes in a row become one. */
export function inOrder(...parts: readonly Expression[]): Expression {
  const joined: Expression[] = [];
  for (const part of parts.flatMap((each) => (each.kind === 'sequence' ? each.parts : [each]))) {
    const last = joined.at(-1);
    if (part.kind === 'bytes' && part.bytes.length === 0) continue;
    if (part.kind === 'bytes' && last?.kind === 'bytes') {
      joined[joined.length - 1] = { kind: 'bytes', bytes: Uint8Array.from([...last.bytes, ...part.bytes]) };
    } else joined.push(part);
  }
  const [first] = joined;
  return joined.length === 1 && first !== undefined ? first : { kind: 'sequence', parts: joined };
}

/** One of them. */
export function alternatives(...options: readonly Expression[]): Expression {
  const [first] = options;
  return options.length === 1 && first !== undefined ? first : { kind: 'choice', options };
}

/** It or nothing. */
export function maybe(of: Expression): Expression {
  return { kind: 'repeat', of, min: 0, max: 1 };
}

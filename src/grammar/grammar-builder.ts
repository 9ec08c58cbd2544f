import type { Expression, Grammar } from './grammar.js';

/** Puts grammars together into one. */
export class GrammarBuilder {
  readonly #rules: Expression[] = [];

  /** Includes a whole grammar; returns the expression of its texts. */
  add({ rules, start }: Grammar): Expression {
    const first = this.#rules.length;
    for (const rule of rules) this.#rules.push(shift(rule, first));
    return { kind: 'rule', rule: first + start };
  }

  /** The grammar of `expression` and all that was added. */
  build(expression: Expression): Grammar {
    return { rules: [...this.#rules, expression], start: this.#rules.length };
  }
}

/** The same expression, whose rules have come `by` places later. */
function shift(expression: Expression, by: number): Expression {
  if (by === 0) return expression;
  switch (expression.kind) {
    case 'bytes':
    case 'regular':
      return expression;
    case 'rule':
      return { kind: 'rule', rule: expression.rule + by };
    case 'sequence':
      return { kind: 'sequence', parts: expression.parts.map((part) => shift(part, by)) };
    case 'choice':
      return { kind: 'choice', options: expression.options.map((option) => shift(option, by)) };
    case 'repeat':
      return { ...expression, of: shift(expression.of, by) };
  }
}

/** A text, as it is. */
export function textExpression(text: string): Expression {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text) };
}

import type { Expression, Grammar } from './grammar.js';

/** Puts grammars together into one. */
export class GrammarBuilder {
  readonly #rules: Expression[] = [];

  /** Takes a whole grammar in; gives what stands for its texts. */
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

/**
 * Any bytes in which `text` does not stand, as an automaton: state `i` has read its first `i` bytes. Source: Knuth, Morris
 * and Pratt, with all transitions written out. `text` is not empty.
 */
export function withoutText(text: string): Expression {
  const bytes = new TextEncoder().encode(text);
  const classOf = new Uint8Array(256);
  let numClasses = 1;
  for (const byte of bytes) if (classOf[byte] === 0) classOf[byte] = numClasses++;
  const transitions = new Int32Array(bytes.length * numClasses);
  // Where the longest proper beginning of `text` leads that is also an end of what was read.
  let border = 0;
  for (const [state, byte] of bytes.entries()) {
    const row = state * numClasses;
    for (let kind = 0; kind < numClasses; kind++) {
      transitions[row + kind] = state === 0 ? 0 : (transitions[border * numClasses + kind] as number);
    }
    const next = state + 1 === bytes.length ? -1 : state + 1;
    if (state > 0) border = transitions[border * numClasses + (classOf[byte] as number)] as number;
    transitions[row + (classOf[byte] as number)] = next;
  }
  return {
    kind: 'regular',
    dfa: { classOf, numClasses, transitions, accepting: new Uint8Array(bytes.length).fill(1) },
  };
}

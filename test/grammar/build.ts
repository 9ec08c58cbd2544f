import fc from 'fast-check';
import type { Expression, Grammar } from '../../src/grammar/index.js';

const encoder = new TextEncoder();

/** Short words for expressions. */
export const text = (literal: string): Expression => ({ kind: 'bytes', bytes: encoder.encode(literal) });
export const seq = (...parts: Expression[]): Expression => ({ kind: 'sequence', parts });
export const alt = (...options: Expression[]): Expression => ({ kind: 'choice', options });
export const many = (of: Expression, min = 0, max?: number): Expression => ({ kind: 'repeat', of, min, max });
export const rule = (index: number): Expression => ({ kind: 'rule', rule: index });
export const byteRange = (from: number, to: number): Expression =>
  alt(
    ...Array.from({ length: to - from + 1 }, (_, i): Expression => ({ kind: 'bytes', bytes: Uint8Array.of(from + i) })),
  );
/** A grammar that starts with its first rule. */
export const grammarOf = (...rules: Expression[]): Grammar => ({ rules, start: 0 });

/** JSON with any white space: value, string, number, object, array. */
export function jsonGrammar(): Grammar {
  const space = many(alt(...[...' \n\r\t'].map(text)));
  const digits = many(byteRange(0x30, 0x39), 1);
  const continuation = byteRange(0x80, 0xbf);
  const hex = alt(byteRange(0x30, 0x39), byteRange(0x41, 0x46), byteRange(0x61, 0x66));
  const escaped = seq(text('\\'), alt(...[...'"\\/bfnrt'].map(text), seq(text('u'), many(hex, 4, 4))));
  const char = alt(
    byteRange(0x20, 0x21),
    byteRange(0x23, 0x5b),
    byteRange(0x5d, 0x7f),
    seq(byteRange(0xc2, 0xdf), continuation),
    seq(byteRange(0xe0, 0xef), many(continuation, 2, 2)),
    seq(byteRange(0xf0, 0xf4), many(continuation, 3, 3)),
    escaped,
  );
  const list = (of: Expression): Expression => many(seq(of, space, many(seq(text(','), space, of, space))), 0, 1);
  const member = seq(rule(1), space, text(':'), space, rule(0));
  return grammarOf(
    alt(rule(1), rule(2), rule(3), rule(4), text('true'), text('false'), text('null')),
    seq(text('"'), many(char), text('"')),
    seq(many(text('-'), 0, 1), digits, many(seq(text('.'), digits), 0, 1)),
    seq(text('{'), space, list(member), text('}')),
    seq(text('['), space, list(rule(0)), text(']')),
  );
}

/** Grammars of up to four rules over a, b and c, recursive and ambiguous in every way. */
export const grammars: fc.Arbitrary<Grammar> = fc.integer({ min: 1, max: 4 }).chain((numRules) => {
  const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 }).map(text),
      fc.nat({ max: numRules - 1 }).map(rule),
      fc.array(tie('expression'), { maxLength: 3 }).map((parts) => seq(...parts)),
      fc.array(tie('expression'), { maxLength: 3 }).map((options) => alt(...options)),
      fc
        .tuple(tie('expression'), fc.nat({ max: 2 }), fc.option(fc.nat({ max: 2 }), { nil: undefined }))
        .map(([of, min, more]) => many(of, min, more === undefined ? undefined : min + more)),
    ),
  }));
  return fc.array(expression, { minLength: numRules, maxLength: numRules }).map((rules) => grammarOf(...rules));
});

/** Vocabularies of those letters, and of one that no grammar has; some ids stand for no text. */
export const vocabularies: fc.Arbitrary<(Uint8Array | undefined)[]> = fc.array(
  fc.option(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 4 }).map((s) => encoder.encode(s)),
    { nil: undefined, freq: 8 },
  ),
  { minLength: 1, maxLength: 70 },
);

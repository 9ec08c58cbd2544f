import fc from 'fast-check';

const names = ['root', 'a', 'b', 'c'];

/** Items that are right most of the time. */
const { item } = fc.letrec<{ item: string; alternatives: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('"x"', '"xy"', '""', '[a-c]', '[^x"]', '.', String.raw`"\u00e9"`, '[à-ÿ]'),
    fc.constantFrom(...names),
    tie('alternatives').map((inner) => `(${inner})`),
    fc
      .tuple(tie('item'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{1,}', '{0,9}'))
      .map(([of, suffix]) => of + suffix),
  ),
  alternatives: fc
    .array(
      fc.array(tie('item'), { maxLength: 3 }).map((items) => items.join(' ')),
      { minLength: 1, maxLength: 3 },
    )
    .map((options) => options.join(' | ')),
}));

const rule = fc
  .array(
    fc.array(item, { maxLength: 3 }).map((items) => items.join(' ')),
    { minLength: 1, maxLength: 3 },
  )
  .map((options) => options.join(' | '));
const whole = fc
  .array(rule, { minLength: 4, maxLength: 4 })
  .map((rules) => rules.map((one, index) => `${names[index]} ::= ${one}`).join('\n'));

/** Grammars, grammars with a piece cut out or put in, and texts that only look like one. */
export const gbnfTexts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: whole, weight: 3 },
  fc
    .tuple(
      whole,
      fc.nat(),
      fc.nat({ max: 5 }),
      fc.constantFrom('', '(', ')', '"', '[', '|', '::=', '{', '\\', '\n', '#'),
    )
    .map(([text, at, count, piece]) => {
      const place = at % text.length;
      return text.slice(0, place) + piece + text.slice(place + count);
    }),
  fc.string({ unit: fc.constantFrom(...'root ::= "[](){}|*+?\\^-.,x0#\n'), maxLength: 40 }),
);

import fc from 'fast-check';

/** Parts that are right most of the time. */
const { alternatives } = fc.letrec<{ item: string; alternatives: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '[a-c]',
      '[^x"]',
      'é',
      '😀',
      '\\u{1F600}',
      '\\p{Lu}',
      '^',
      '$',
      '\\b',
    ),
    tie('alternatives').map((inner) => `(${inner})`),
    tie('alternatives').map((inner) => `(?:${inner})`),
    fc
      .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!', '?<n>'), tie('alternatives'))
      .map(([look, inner]) => `(${look}${inner})`),
    fc
      .tuple(tie('item'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{1,}', '*?', '{0,12}'))
      .map(([of, suffix]) => of + suffix),
  ),
  alternatives: fc
    .array(
      fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((options) => options.join('|')),
}));

/** Regular expressions, such with a piece put in or cut out, and texts that only look like one. */
export const regexTexts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: alternatives, weight: 4 },
  fc
    .tuple(
      alternatives,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', '(', ')', '[', '{', '\\', '*', '\\k<n>', '\\1', '?'),
    )
    .map(([text, at, count, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + count);
    }),
  fc.string({ unit: fc.constantFrom(...'(a|b)*[^c-]{2,3}\\d?.+$^é'), maxLength: 30 }),
);

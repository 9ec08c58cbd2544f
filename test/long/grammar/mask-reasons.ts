import type { Difference, Side } from './masks-of-both.js';

/** Why a token is allowed by one and refused by the other. */
export interface Reason {
  readonly name: string;
  readonly side: Side;
  /** Whether whole texts that go on with such a token are ones of the grammar; always true for what is ours. */
  readonly isValid: boolean;
  /** What such whole texts have. */
  readonly shows: RegExp;
  applies(difference: Difference): boolean;
}

/** The known reasons; the first one that applies is taken. */
export const reasons: readonly Reason[] = [
  {
    // Where only one text goes on, the peer allows the token alone that its tokenizer would give for it.
    name: 'a shorter token of a text that is forced',
    side: 'ours',
    isValid: true,
    shows: /./,
    applies: ({ forced, token }) => forced.startsWith(token),
  },
  {
    // RFC 8259, section 7: all but quotes, backslashes and U+0000 to U+001F may stand as it is.
    name: 'U+007F as it is in a string',
    side: 'ours',
    isValid: true,
    shows: /\u007f/,
    applies: ({ token }) => token.includes('\u007f'),
  },
  {
    // RFC 8259, section 7: PHP writes it. The peer has the escapes of Python alone.
    name: String.raw`the escape \/ in a string`,
    side: 'ours',
    isValid: true,
    shows: /\\\//,
    applies: (difference) => escapesOf(difference).includes('/'),
  },
  {
    // With a pattern the peer writes control characters alone with an escape of four digits.
    name: 'escapes of code units in a string with a pattern',
    side: 'ours',
    isValid: true,
    shows: /\\u[0-9a-fA-F]{4}/,
    applies: (difference) =>
      hasKeyword(difference, 'pattern') && escapesOf(difference).some((each) => each.startsWith('u')),
  },
  {
    // `-0` is 0. The peer leaves the sign out where there is no number below a minimum of 0.
    name: '-0 where the minimum is 0',
    side: 'ours',
    isValid: true,
    shows: /^-0(\.0+)?$/,
    applies: (difference) => hasKeyword(difference, 'minimum') && numberOf(difference).startsWith('-'),
  },
  {
    // 1e20 is a whole number by JSON Schema, and programs print large ones so. The peer has exponents for numbers alone
    // that are not whole and have no bounds.
    name: 'exponents of whole numbers and of numbers with bounds',
    side: 'ours',
    isValid: true,
    shows: /[0-9][eE]/,
    applies: (difference) =>
      (hasType(difference, 'integer') || hasKeyword(difference, 'minimum')) && numberOf(difference) !== '',
  },
  {
    // docs/json-schema.md: exponents are as programs print them, behind one digit that is not 0, up to those of a double.
    name: 'exponents as no program prints them',
    side: 'peer',
    isValid: true,
    shows: /[0-9][eE]/,
    applies: (difference) => hasType(difference, 'number') && /[eE]/.test(numberOf(difference)),
  },
  {
    // ECMA-262: without the flag s a point is none of U+000A, U+000D, U+2028 and U+2029; for Rust it is not U+000A alone.
    name: 'line ends for a point of a regular expression',
    side: 'peer',
    isValid: false,
    shows: /[\r\u2028\u2029]/,
    applies: ({ grammar, before, token }) =>
      'regex' in grammar && grammar.regex.includes('.') && /\r|\xe2\x80[\xa8\xa9]/.test(before.slice(-2) + token),
  },
];

/** What follows the backslashes of escapes that the token begins or goes on with. */
function escapesOf({ before, token }: Difference): string[] {
  const escapes = (before + token).matchAll(/\\(u[0-9a-fA-F]{0,4}|.|$)/gs);
  return [...escapes].flatMap(({ index, 0: all, 1: rest = '' }) => (index + all.length > before.length ? [rest] : []));
}

/** The number that the token begins or goes on with; empty for other tokens. */
function numberOf({ before, token }: Difference): string {
  if (before.replaceAll(/\\./gs, '').split('"').length % 2 === 0) return '';
  const [head = ''] = /[-+.0-9eE]*$/.exec(before) ?? [];
  const [tail = ''] = /[-+.0-9eE]*$/.exec(token) ?? [];
  return tail === token ? head + tail : tail;
}

function hasKeyword({ grammar }: Difference, keyword: string): boolean {
  return 'schema' in grammar && JSON.stringify(grammar.schema).toLowerCase().includes(keyword);
}

function hasType({ grammar }: Difference, type: string): boolean {
  return 'schema' in grammar && JSON.stringify(grammar.schema).includes(`"type":"${type}"`);
}

import type { Difference, Side } from './masks-of-both.js';

/** Why a token is allowed by one and refused by the other. */
export interface Reason {
  readonly name: string;
  readonly side: Side;
  /** Whether whole texts that go on with such a token are ones of the grammar; absent where ajv is no judge of it. */
  readonly isValid?: boolean;
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
    // 6.50 is a multiple of 0.5. Where the peer allows no more zeros, what follows the number is forced for it.
    name: 'zeros behind a multiple, or what follows where the peer allows none',
    side: 'ours',
    isValid: true,
    shows: /[0-9]/,
    applies: (difference) =>
      mentions(difference, /"multipleOf"/) &&
      numberAt(difference.before) !== '' &&
      /^(,|[.0]+)$/.test(difference.token),
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
      mentions(difference, /"(pattern|patternProperties|format)"/) &&
      escapesOf(difference).some((each) => each.startsWith('u')),
  },
  {
    // `-0` is 0. The peer has no sign where a minimum leaves no number below 0.
    name: '-0 with a minimum',
    side: 'ours',
    isValid: true,
    shows: /(^|[[:,])-0(\.0+)?([\]},]|$)/,
    applies: (difference) => mentions(difference, /minimum/i) && /^-(0[.0]*)?$/.test(numberOf(difference)),
  },
  {
    // 1e20 is a whole number by JSON Schema, and programs print large ones so. The peer has exponents for numbers alone
    // that are not whole and have no bounds.
    name: 'exponents of whole numbers and of numbers with bounds',
    side: 'ours',
    isValid: true,
    shows: /[0-9][eE]/,
    applies: (difference) => mentions(difference, /"integer"|(min|max)imum/i) && numberOf(difference) !== '',
  },
  {
    // docs/json-schema.md: exponents are as programs print them. They are behind one digit that is not 0, and no larger
    // than a double has.
    name: 'exponents as no program prints them',
    side: 'peer',
    isValid: true,
    shows: /[0-9][eE]/,
    applies: (difference) => /[eE]/.test(numberOf(difference)),
  },
  {
    // RFC 3986 allows it and docs/json-schema.md does not.
    name: 'a URI with nothing behind the colon',
    side: 'peer',
    shows: /"[A-Za-z][-+.A-Za-z0-9]*:["?#]/,
    applies: (difference) =>
      mentions(difference, /"format":"uri"/) && /^[A-Za-z][-+.A-Za-z0-9]*:["?#]/.test(stringOf(difference)),
  },
  {
    // RFC 3339, section 5.7. The peer does not look at the year.
    name: '29 February in a year that has none',
    side: 'peer',
    isValid: false,
    shows: /-02-29/,
    applies: (difference) => {
      const [, year] = /^([0-9]{4})-02-29/.exec(stringOf(difference)) ?? [];
      return mentions(difference, /"format":"date/) && year !== undefined && !isLeapYear(Number(year));
    },
  },
  {
    // docs/json-schema.md: leap seconds are at 23:59:60 UTC alone. The peer does not look at the time.
    name: 'leap seconds at other times',
    side: 'peer',
    shows: /T..:..:60/i,
    applies: (difference) => mentions(difference, /"format":"date-time"/) && /T..:..:60?$/i.test(stringOf(difference)),
  },
  {
    // docs/json-schema.md: no Punycode, at most 6 labels, and those behind the first of up to 31 characters. Behind the
    // `@` of an address are at least 2 labels, and no brackets; before it are up to 64 characters (RFC 5321, section
    // 4.5.3.1.1).
    name: 'host names and addresses of mail beyond our limits',
    side: 'peer',
    shows: /--|[^."@]{32}|(\.[^."]*){6}|@\[|@[^."]+"/,
    applies: (difference) =>
      mentions(difference, /"format":"(email|hostname)"/) &&
      /(^|[.@])[^.@]{2}--|\.[^.@"]{32}|[^"@]{64}|(\.[^."]*){6}|@\[|@[^."]+"/.test(stringOf(difference)),
  },
  {
    // ECMA-262: it is white space, as U+0020 is; in Unicode and for Rust it is not.
    name: String.raw`U+FEFF for \S`,
    side: 'peer',
    isValid: false,
    shows: /\ufeff/,
    applies: (difference) => mentions(difference, /\\S/) && difference.token.includes('\xef\xbb\xbf'),
  },
  {
    // ECMA-262: without the flag s a point is none of U+000A, U+000D, U+2028 and U+2029. For Rust it is any but U+000A.
    name: 'line ends for a point of a regular expression',
    side: 'peer',
    isValid: false,
    shows: /[\r\u2028\u2029]/,
    applies: ({ grammar, before, token }) =>
      'regex' in grammar && grammar.regex.includes('.') && /\r|\xe2\x80[\xa8\xa9]/.test(before.slice(-2) + token),
  },
];

function isLeapYear(year: number): boolean {
  return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
}

/** What follows the backslashes of escapes that the token begins or goes on with. */
function escapesOf({ before, token }: Difference): string[] {
  const escapes = (before + token).matchAll(/\\(u[0-9a-fA-F]{0,4}|.|$)/gs);
  return [...escapes].flatMap(({ index, 0: all, 1: rest = '' }) => (index + all.length > before.length ? [rest] : []));
}

/** The number that the token begins or goes on with; empty for other tokens. */
function numberOf({ before, token }: Difference): string {
  return numberAt(before + token);
}

/** The number at the end of a text that is not within a string. */
function numberAt(text: string): string {
  const [number = ''] = /[-+.0-9eE]+$/.exec(text) ?? [];
  const numQuotes =
    text
      .slice(0, text.length - number.length)
      .replaceAll(/\\./gs, '')
      .split('"').length - 1;
  return numQuotes % 2 === 0 ? number : '';
}

/** The string that the token goes on with, for strings without escapes. */
function stringOf({ before, token }: Difference): string {
  return before.slice(before.lastIndexOf('"') + 1) + token;
}

function mentions({ grammar }: Difference, what: RegExp): boolean {
  return 'schema' in grammar && what.test(JSON.stringify(grammar.schema));
}

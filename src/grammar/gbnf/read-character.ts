import type { Scanner } from './scanner.js';

/** Digits behind `\x`, `\u` and `\U`. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d };

/** The code point of one character of a literal or a class, which may be an escape. Errors: `invalid_grammar`. */
export function readCharacter(scanner: Scanner): number {
  const { at } = scanner;
  const code = scanner.skip('\\') ? readEscape(scanner, at) : (scanner.take().codePointAt(0) ?? 0);
  if (code >= 0xd800 && code <= 0xdfff) {
    throw scanner.error(
      'half a surrogate pair is no character; write the character itself or \\U and eight digits',
      at,
    );
  }
  if (code > 0x10ffff) throw scanner.error('the last character of Unicode is \\U0010FFFF', at);
  return code;
}

function readEscape(scanner: Scanner, at: number): number {
  const letter = scanner.take();
  if (letter === '') throw scanner.error('a backslash stands at the end; write \\\\ for one', at);
  const digits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter] : undefined;
  if (digits !== undefined) {
    const hex = scanner.match(new RegExp(`[0-9A-Fa-f]{0,${digits}}`, 'y'));
    if (hex.length < digits) throw scanner.error(`\\${letter} needs ${digits} hexadecimal digits`, at);
    return Number.parseInt(hex, 16);
  }
  const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined;
  if (control !== undefined) return control;
  if ('\\"[]-^'.includes(letter)) return letter.codePointAt(0) ?? 0;
  throw scanner.error('an unknown escape; known are \\n \\r \\t \\x \\u \\U \\\\ \\" \\[ \\] \\- \\^', at);
}

import { ANY_TEXT, chars, choice, literal, optional, repeat, sequence, type Pattern } from '../../../regular/index.js';
import type { Decimal } from '../../shape/decimal.js';
import { DIGIT, MAX_WHOLE_DIGITS, NONZERO } from './digits.js';

/**
 * Digits with which a number comes back from a double as it was (DBL_DIG of C): the shortest text of the double is the
 * same number. One with more digits may come back as its neighbour.
 */
const EXACT_DIGITS = 15;
/** Digits with which a number that is not whole is read as one that is not: its last digit is more than half the way between two doubles. */
const TELLING_DIGITS = 16;

const POINT = literal('.');
const DIGITS = repeat(DIGIT, 0);
const ZEROS = repeat(literal('0'), 0);
const SIGN = optional(literal('-'));
const EXPONENT = chars('ee', 'EE');

/** Whole numbers without an exponent, of any length. */
const PLAIN_WHOLE = sequence(DIGIT, DIGITS, optional(sequence(POINT, ZEROS)));
const SCIENTIFIC = sequence(DIGIT, optional(sequence(POINT, DIGITS)), EXPONENT, ANY_TEXT);

/** Texts with few enough digits that a double keeps their value, up to `maxWhole` digits before the point. */
function exactTexts(maxWhole: number): Pattern {
  const below1 = sequence(literal('0'), optional(sequence(POINT, ZEROS, repeat(DIGIT, 0, EXACT_DIGITS), ZEROS)));
  const plain = Array.from({ length: EXACT_DIGITS }, (_, i) =>
    sequence(NONZERO, repeat(DIGIT, i, i), optional(sequence(POINT, repeat(DIGIT, 0, EXACT_DIGITS - i - 1), ZEROS))),
  );
  const zeros = repeat(literal('0'), 0, maxWhole - EXACT_DIGITS);
  const large = sequence(
    NONZERO,
    repeat(DIGIT, EXACT_DIGITS - 1, EXACT_DIGITS - 1),
    zeros,
    optional(sequence(POINT, ZEROS)),
  );
  const fraction = optional(sequence(POINT, repeat(DIGIT, 0, EXACT_DIGITS - 1), ZEROS));
  return choice(below1, ...plain, large, sequence(DIGIT, fraction, EXPONENT, ANY_TEXT));
}

/** Texts of numbers below 10^15 whose value a double keeps, with or without a sign. */
export const EXACT_NUMBERS: Pattern = sequence(SIGN, exactTexts(EXACT_DIGITS));

/**
 * Texts whose double is a whole multiple of a step if their number is; undefined where that is true of all texts.
 *
 * A double from 2^53 on is whole, and a multiple of each power of two that is not above the distance to the next one: so a
 * multiple of a power of two is never read as anything else. Where the step is a power of ten below 1, the shortest text of
 * the double has no more places than the text.
 */
export function exactMultiples(step: Decimal): Pattern | undefined {
  if (isPowerOfTwo(step) || (step.digits === 1n && step.exponent < 0)) return undefined;
  if (dividesOne(step)) return sequence(SIGN, choice(PLAIN_WHOLE, exactTexts(EXACT_DIGITS), SCIENTIFIC));
  const isLarge = String(step.digits).length + step.exponent > EXACT_DIGITS - 3;
  return sequence(SIGN, exactTexts(isLarge ? MAX_WHOLE_DIGITS : EXACT_DIGITS));
}

/** Whether every double from some size on is a multiple of a step. */
export function dividesLarge(step: Decimal): boolean {
  return isPowerOfTwo(step) || dividesOne(step);
}

/** Whether 1 is a multiple of it. */
function dividesOne({ digits, exponent }: Decimal): boolean {
  return exponent <= 0 && 10n ** BigInt(-exponent) % digits === 0n;
}

/** Whether it is 2^n for a whole n, which may be negative. */
function isPowerOfTwo(step: Decimal): boolean {
  const { digits, exponent } = step;
  if (exponent < 0 && !dividesOne(step)) return false;
  const power = 10n ** BigInt(Math.abs(exponent));
  const whole = exponent < 0 ? power / digits : digits * power;
  return (whole & (whole - 1n)) === 0n;
}

/** Texts of numbers that are not whole, which may be read as whole ones: so many digits say that they are near one. */
export const NEARLY_WHOLE: Pattern = sequence(
  SIGN,
  choice(
    ...Array.from({ length: TELLING_DIGITS - 1 }, (_, i) => {
      const places = TELLING_DIGITS - 1 - i;
      const near = choice(sequence(literal('0'.repeat(places)), DIGITS), nearlyNext(places));
      return sequence(NONZERO, repeat(DIGIT, i, i), POINT, near);
    }),
    sequence(literal('0.'), nearlyNext(TELLING_DIGITS)),
    sequence(literal('9.'), nearlyNext(TELLING_DIGITS - 1), EXPONENT, ANY_TEXT),
    sequence(NONZERO, repeat(DIGIT, TELLING_DIGITS - 1), POINT, DIGITS),
  ),
);

/** Nines in all places, and more. */
function nearlyNext(places: number): Pattern {
  return sequence(literal('9'.repeat(places)), ZEROS, NONZERO, DIGITS);
}

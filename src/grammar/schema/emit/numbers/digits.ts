import { chars, choice, literal, optional, repeat, sequence, type Pattern } from '../../../regular/index.js';
import { normalizeDecimal, toPlainDigits, type Decimal } from '../../shape/decimal.js';

/** How a number that is written compares with another. */
export type Comparison = 'less' | 'equal' | 'greater';

/** Digits before the point that are written without an exponent; programs go over to exponents at 16 or 21 digits. */
export const MAX_WHOLE_DIGITS = 40;
/** Digits after the point: 1e-6 has six, and a double 17 significant ones. */
export const MAX_FRACTION_DIGITS = 22;

/** One of the digits 0 to 9. */
export const DIGIT = chars('09');
/** One of the digits 1 to 9. */
export const NONZERO = chars('19');
const DIGITS = repeat(DIGIT, 0);
const SOME_NONZERO = sequence(DIGITS, NONZERO, DIGITS);

/** The digits that compare so with `digit`; undefined where there are none. */
function digitsBeside(digit: string, comparison: 'less' | 'greater'): Pattern | undefined {
  const value = Number(digit);
  if (comparison === 'less') return value === 0 ? undefined : chars(`0${value - 1}`);
  return value === 9 ? undefined : chars(`${value + 1}9`);
}

/** Digits in the place of `digits`, as many of them, that make a number less or greater. */
function sameLength(digits: string, comparison: 'less' | 'greater', tail: Pattern): Pattern[] {
  return [...digits].flatMap((digit, i) => {
    const beside = digitsBeside(digit, comparison);
    if (beside === undefined) return [];
    const rest = digits.length - i - 1;
    return [sequence(literal(digits.slice(0, i)), beside, repeat(DIGIT, rest, rest), tail)];
  });
}

/** The continuation after equal digits before the point: `.` and digits, or nothing. */
function fractionPattern(fraction: string, comparison: Comparison): Pattern {
  const point = literal('.');
  if (comparison === 'equal') {
    const zeros = sequence(literal(fraction), repeat(literal('0'), 0));
    return fraction === '' ? optional(sequence(point, zeros)) : sequence(point, zeros);
  }
  const beside = [...fraction].flatMap((digit, i) => {
    const other = digitsBeside(digit, comparison);
    return other === undefined ? [] : [sequence(point, literal(fraction.slice(0, i)), other, DIGITS)];
  });
  if (comparison === 'greater') return choice(...beside, sequence(point, literal(fraction), SOME_NONZERO));
  // Less is also what ends before the last digit, which is not zero.
  const prefixes = [...fraction].map((_, i) => fraction.slice(0, i)).filter((each) => each !== '');
  const shorter = prefixes.map((each) => sequence(point, literal(each)));
  return fraction === '' ? choice() : choice(...beside, ...shorter, literal(''));
}

/**
 * Digits with or without a point and more of them, without a sign or leading zeros. They compare so with a number that
 * is not negative. They have no more digits than the limits above; the caller checks that.
 */
export function plainPattern(value: Decimal, comparison: Comparison): Pattern {
  const { whole, fraction } = toPlainDigits(value);
  const anyFraction = optional(sequence(literal('.'), DIGITS));
  if (whole.length > MAX_WHOLE_DIGITS) return comparison === 'less' ? sequence(DIGIT, DIGITS, anyFraction) : choice();
  if (fraction.length > MAX_FRACTION_DIGITS) {
    const below = normalizeDecimal(BigInt(whole + fraction.slice(0, MAX_FRACTION_DIGITS)), -MAX_FRACTION_DIGITS);
    if (comparison === 'equal') return choice();
    const same = comparison === 'less' ? [plainPattern(below, 'equal')] : [];
    return choice(plainPattern(below, comparison), ...same);
  }
  const equalWhole = sequence(literal(whole), fractionPattern(fraction, comparison));
  if (comparison === 'equal') return equalWhole;
  const same = sameLength(whole, comparison, anyFraction);
  if (comparison === 'greater') {
    return choice(...same, sequence(NONZERO, repeat(DIGIT, whole.length), anyFraction), equalWhole);
  }
  const shorter = whole.length > 1 ? [sequence(repeat(DIGIT, 1, whole.length - 1), anyFraction)] : [];
  return choice(...same, ...shorter, equalWhole);
}

/** The whole numbers from `from` to `to`, neither below 0, without leading zeros. */
export function wholeRange(from: number, to: number): Pattern {
  if (from > to) return choice();
  const [low, high] = [String(from), String(to)];
  if (low.length < high.length) {
    const end = 10 ** low.length - 1;
    return choice(wholeRange(from, end), wholeRange(end + 1, to));
  }
  return sameLengthRange(low, high);
}

function sameLengthRange(low: string, high: string): Pattern {
  const [first = '0', last = '0'] = [low[0], high[0]];
  const rest = low.length - 1;
  if (rest === 0) return chars(first + last);
  if (first === last) return sequence(literal(first), sameLengthRange(low.slice(1), high.slice(1)));
  const between = Number(last) - Number(first) > 1 ? [chars(`${Number(first) + 1}${Number(last) - 1}`)] : [];
  return choice(
    sequence(literal(first), sameLengthRange(low.slice(1), '9'.repeat(rest))),
    ...between.map((digits) => sequence(digits, repeat(DIGIT, rest, rest))),
    sequence(literal(last), sameLengthRange('0'.repeat(rest), high.slice(1))),
  );
}

import { chars, choice, literal, optional, repeat, sequence, type Pattern } from '../../../regular/index.js';
import { normalizeDecimal, type Decimal } from '../../shape/decimal.js';
import { DIGIT, NONZERO, plainPattern, wholeRange, type Comparison } from './digits.js';

/** Digits after the point of a number with an exponent: a double has 17 significant ones. */
export const MAX_MANTISSA_FRACTION = 16;
/** From here on every number with so many digits is whole. Python prints exponents from 16 on, JavaScript from 21. */
export const FIRST_LARGE_EXPONENT = 16;
/** The last exponent of a double, which has only some of its numbers. */
const LAST_EXPONENT = 308;
/** Below it digits are lost, and then readers get zero. */
const LEAST_EXPONENT = -323;

/** An `e` and a whole number of `from` to `to`; a program may print two digits where one is enough. */
function exponent(from: number, to: number): Pattern {
  const mark = chars('ee', 'EE');
  const parts: Pattern[] = [];
  const add = (sign: Pattern, low: number, high: number): void => {
    if (low > high) return;
    const short = sequence(literal('0'), wholeRange(low, Math.min(high, 9)));
    parts.push(sequence(mark, sign, choice(wholeRange(low, high), ...(low <= 9 ? [short] : []))));
  };
  add(literal('-'), Math.max(1, -to), -from);
  add(optional(literal('+')), Math.max(0, from), to);
  return choice(...parts);
}

/** A digit that is not zero, a point and more digits or not. */
const MANTISSA = sequence(NONZERO, optional(sequence(literal('.'), repeat(DIGIT, 1, MAX_MANTISSA_FRACTION))));

/** The same up to 1.7. */
const LAST_MANTISSA = sequence(
  literal('1'),
  optional(sequence(literal('.'), chars('06'), repeat(DIGIT, 0, MAX_MANTISSA_FRACTION - 1))),
);

/** Numbers with exponents below 0: none is whole. */
export const SMALL_NUMBERS: Pattern = sequence(MANTISSA, exponent(LEAST_EXPONENT, -1));
/** Numbers with exponents so large that each is whole, below 1.7e308. */
export const LARGE_NUMBERS: Pattern = numbersFrom(FIRST_LARGE_EXPONENT);
/** Numbers with any exponent that a double has. */
export const SCIENTIFIC_NUMBERS: Pattern = numbersFrom(LEAST_EXPONENT);

/** Numbers with exponents from `least` on, below 1.7e308: a double ends at 1.797…e308. */
export function numbersFrom(least: number): Pattern {
  const parts = [sequence(MANTISSA, exponent(least, LAST_EXPONENT - 1))];
  if (least <= LAST_EXPONENT) parts.push(sequence(LAST_MANTISSA, exponent(LAST_EXPONENT, LAST_EXPONENT)));
  return choice(...parts);
}

/** Numbers with one exponent and up to `digits` significant digits after the point. */
export function withExponent(power: number, digits: number): Pattern {
  const fraction = sequence(literal('.'), repeat(DIGIT, 0, digits), repeat(literal('0'), 0));
  return sequence(NONZERO, optional(fraction), exponent(power, power));
}

/** Numbers with an exponent that compare so with one that is not negative. */
export function scientificPattern(value: Decimal, comparison: Comparison): Pattern {
  if (value.digits === 0n) {
    return comparison === 'greater' ? sequence(MANTISSA, exponent(LEAST_EXPONENT, LAST_EXPONENT)) : choice();
  }
  const length = String(value.digits).length;
  const power = value.exponent + length - 1;
  const same = sequence(plainPattern(normalizeDecimal(value.digits, 1 - length), comparison), exponent(power, power));
  if (comparison === 'equal') return same;
  const others = comparison === 'less' ? exponent(LEAST_EXPONENT, power - 1) : exponent(power + 1, LAST_EXPONENT);
  return choice(same, sequence(MANTISSA, others));
}

import {
  choice,
  compilePattern,
  literal,
  MAX_STATES,
  minimize,
  optional,
  repeat,
  sequence,
  automatonTooLarge,
  trim,
  type Automaton,
  type WorkBudget,
  type Pattern,
} from '../../../regular/index.js';
import type { Decimal } from '../../shape/decimal.js';
import { dividesLarge } from './exact-numbers.js';
import { FIRST_LARGE_EXPONENT, numbersFrom, MAX_MANTISSA_FRACTION, withExponent } from './scientific.js';

/** Limit of digits after the point for small numbers with exponents. */
const MAX_SMALL_PLACES = 24;

/**
 * Texts of numbers that are whole multiples of `step`, which is greater than 0. Texts with an exponent are included
 * where that is decidable without counting: for steps that divide 1, and powers of two. Errors: `grammar_too_large`.
 */
export function multiplesAutomaton(step: Decimal, budget: WorkBudget): Automaton {
  const zeros = Math.max(0, step.exponent);
  const places = Math.max(0, -step.exponent);
  const numStates = Number(step.digits) * (places + 2) + 1;
  if (!(numStates <= MAX_STATES)) throw automatonTooLarge('states in one automaton', MAX_STATES);
  const plain = remainders({ divisor: Number(step.digits), places, hasPoint: zeros === 0 }, budget);
  const end: Pattern = repeat(literal('0'), zeros, zeros);
  const point = optional(sequence(literal('.'), repeat(literal('0'), 1)));
  const unsigned: Pattern[] =
    zeros === 0
      ? [{ kind: 'automaton', automaton: plain }]
      : [sequence({ kind: 'automaton', automaton: plain }, end, point), sequence(literal('0'), point)];
  return compilePattern(sequence(optional(literal('-')), choice(...unsigned, ...withExponents(step, places))), budget);
}

/** The digits, the point and all else. */
const POINT = 10;
const NUM_CLASSES = 12;

interface Divisor {
  readonly divisor: number;
  /** Digits after the point. */
  readonly places: number;
  /** Whether there may be a point. */
  readonly hasPoint: boolean;
}

/** Remainders of the text so far, by digits after the point; after `places` of them only zeros follow. */
function remainders({ divisor, places, hasPoint }: Divisor, budget: WorkBudget): Automaton {
  const numStates = 1 + divisor * (places + 2);
  budget.spend(numStates * NUM_CLASSES);
  const transitions = new Int32Array(numStates * NUM_CLASSES).fill(-1);
  const accepting = new Uint8Array(numStates);
  /** `place`: digits after the point, -1 before it. */
  const stateOf = (remainder: number, place: number): number => 1 + (place + 1) * divisor + remainder;
  for (let digit = 0; digit < 10; digit++) transitions[digit] = stateOf(digit % divisor, -1);
  for (let place = -1; place <= places; place++) {
    const scale = Number(10n ** BigInt(places - Math.max(0, place)) % BigInt(divisor));
    for (let remainder = 0; remainder < divisor; remainder++) {
      const row = stateOf(remainder, place) * NUM_CLASSES;
      accepting[stateOf(remainder, place)] = (remainder * scale) % divisor === 0 ? 1 : 0;
      if (place < 0 && hasPoint) transitions[row + POINT] = stateOf(remainder, 0);
      if (place === places) transitions[row] = stateOf(remainder, place);
      else {
        for (let digit = 0; digit < 10; digit++) {
          const next = place < 0 ? -1 : place + 1;
          transitions[row + digit] = stateOf((remainder * 10 + digit) % divisor, next);
        }
      }
    }
  }
  return minimize(trim({ alphabet: NUMBER_ALPHABET, transitions, accepting }), budget);
}

const NUMBER_ALPHABET: Automaton['alphabet'] = {
  starts: Int32Array.of(0, 0x2e, 0x2f, ...Array.from({ length: 11 }, (_, i) => 0x30 + i), 0xd800, 0xe000),
  classes: Int32Array.of(11, POINT, 11, ...Array.from({ length: 10 }, (_, i) => i), 11, -1, 11),
  numClasses: NUM_CLASSES,
};

/** Multiples with an exponent: all from some size on, and for steps of one unit the small ones. */
function withExponents({ digits, exponent }: Decimal, places: number): Pattern[] {
  if (!dividesLarge({ digits, exponent })) return [];
  let [twos, fives, rest] = [0, 0, digits];
  for (; rest % 2n === 0n; rest /= 2n) twos++;
  for (; rest % 5n === 0n; rest /= 5n) fives++;
  const least = MAX_MANTISSA_FRACTION + Math.max(twos, fives) + exponent;
  const large = numbersFrom(Math.max(FIRST_LARGE_EXPONENT, least));
  if (digits !== 1n || places > MAX_SMALL_PLACES) return [large];
  const small = Array.from({ length: places }, (_, i) => withExponent(-i - 1, places - i - 1));
  return [large, ...small];
}

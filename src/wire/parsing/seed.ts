import { AppError } from '../../base/index.js';

/** The range of a 64-bit seed, signed or not. */
const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;
/** How clients of local servers ask for another answer each time. */
const ANOTHER_EACH_TIME = -1n;

/** The fields of a request with a bigint seed as its digits, as JSON has it. Errors: `invalid_value` for a rounded number. */
export function spellSeed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { seed } = fields;
  if (typeof seed === 'bigint') return { ...fields, seed: String(seed) };
  if (typeof seed === 'number' && Number.isInteger(seed) && !Number.isSafeInteger(seed)) {
    throw invalid(`${seed} is beyond 2^53, where numbers are rounded; give its digits as a bigint or as a string`);
  }
  return fields;
}

/** The seed that a checked request asks for; undefined: another one each time. Errors: `invalid_value`. */
export function readSeed(seed: number | bigint | string | undefined): number | bigint | undefined {
  if (seed === undefined) return undefined;
  const exact = BigInt(typeof seed === 'string' ? seed.replace(/^\+/, '') : seed);
  if (exact === ANOTHER_EACH_TIME) return undefined;
  if (exact < LEAST || exact > MOST) throw invalid(`${exact} is not a whole number from -2^63 to 2^64 - 1`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

function invalid(why: string): AppError {
  return new AppError('invalid_value', `seed ${why}`, { param: 'seed' });
}

import { Type } from '../../schema/index.js';

/**
 * The seed of a request: 64 bits, signed or unsigned. -1 means a new one each time, as without the field. JSON: a whole
 * number with any digits, or a string of digits for clients whose numbers end at 2^53. Programs may also pass a bigint.
 */
export const Seed = Type.Unsafe<number | bigint | string>({
  description: 'A whole number from -2^63 to 2^64 - 1, exactly as written, or its digits as a string. -1: random.',
  anyOf: [
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: '^[+-]?[0-9]{1,20}$' },
  ],
});

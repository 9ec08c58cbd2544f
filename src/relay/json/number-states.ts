// A number of JSON as an automaton over its bytes. Source: RFC 8259, 6.

const [MINUS, ZERO, INTEGER, DOT, FRACTION, EXPONENT, SIGN, POWER] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Whether a number may end, by its state. */
export const ENDS_NUMBER: readonly boolean[] = [false, true, true, false, true, false, false, true];

/** The state after the first byte, which is a minus or a digit. */
export function startOfNumber(byte: number): number {
  return byte === 0x2d ? MINUS : byte === 0x30 ? ZERO : INTEGER;
}

/** The state after one more byte; -1: the number cannot go on with it. */
export function afterNumber(state: number, byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) {
    if (state === MINUS) return byte === 0x30 ? ZERO : INTEGER;
    if (state === INTEGER) return INTEGER;
    if (state === DOT || state === FRACTION) return FRACTION;
    return state === ZERO ? -1 : POWER;
  }
  if (byte === 0x2e) return state === ZERO || state === INTEGER ? DOT : -1;
  if (byte === 0x65 || byte === 0x45) return state === ZERO || state === INTEGER || state === FRACTION ? EXPONENT : -1;
  if (byte === 0x2b || byte === 0x2d) return state === EXPONENT ? SIGN : -1;
  return -1;
}

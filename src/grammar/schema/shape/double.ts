import { fromNumber, type Decimal } from './decimal.js';

/** The double that a client reads from the text of a number: the nearest one. */
export function toDouble({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

/**
 * The shortest text of the next double above (1) or below (-1) the double of `value`; undefined if the next one is
 * infinite. Doubles are IEEE 754 binary64: neighbours of one sign have neighbouring bits.
 */
export function nextDouble(value: Decimal, direction: 1 | -1): Decimal | undefined {
  const double = toDouble(value);
  const next = double === 0 ? direction * Number.MIN_VALUE : neighbour(double, direction);
  return Number.isFinite(next) ? fromNumber(next) : undefined;
}

function neighbour(double: number, direction: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const outwards = double > 0 ? direction : -direction;
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(outwards));
  return view.getFloat64(0);
}

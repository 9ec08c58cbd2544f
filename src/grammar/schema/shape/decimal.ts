/** An exact decimal number: `digits · 10^exponent`, with digits that no ten divides; zero has exponent 0. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The number 0. */
export const ZERO: Decimal = { digits: 0n, exponent: 0 };

/** The number that `digits · 10^exponent` is. */
export function normalizeDecimal(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) return ZERO;
  let [rest, power] = [digits, exponent];
  while (rest % 10n === 0n) {
    rest /= 10n;
    power++;
  }
  return { digits: rest, exponent: power };
}

/** A finite number, from its shortest decimal text. */
export function fromNumber(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return normalizeDecimal(BigInt(whole + fraction), Number(power) - fraction.length);
}

/** Negative, zero or positive, as `a` is below, equal to or above `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = scaled(a, exponent) - scaled(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Whether `a` is a whole multiple of `b`, which is not zero. */
export function isMultiple(a: Decimal, b: Decimal): boolean {
  const exponent = Math.min(a.exponent, b.exponent);
  return scaled(a, exponent) % scaled(b, exponent) === 0n;
}

/** Whether it has no digits after the point. */
export function isWhole({ exponent }: Decimal): boolean {
  return exponent >= 0;
}

/** Without its sign. */
export function magnitude({ digits, exponent }: Decimal): Decimal {
  return { digits: digits < 0n ? -digits : digits, exponent };
}

/** The digits before and after the point of a number that is not negative; without insignificant digits. */
export function toPlainDigits({ digits, exponent }: Decimal): { whole: string; fraction: string } {
  if (exponent >= 0) return { whole: String(digits * 10n ** BigInt(exponent)), fraction: '' };
  const text = String(digits).padStart(1 - exponent, '0');
  return { whole: text.slice(0, exponent), fraction: text.slice(exponent) };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

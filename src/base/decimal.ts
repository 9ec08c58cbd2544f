// Exact decimal numbers: integers of a small unit become decimal texts, and back.

/** `value` of units of 10^-decimals as a decimal text with at least `least` decimals: 1500000, 6 and 2 is `1.50`. */
export function toDecimal(value: bigint, decimals: number, least = 0): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(least, '0');
  const whole = digits.slice(0, -decimals);
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A decimal text such as `-20.5` in units of 10^-decimals. Undefined: the text is no decimal, or has more decimals. */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  const kept = fraction.replace(/0+$/, '');
  if (whole === undefined || kept.length > decimals) return undefined;
  const value = BigInt(whole + kept.padEnd(decimals, '0'));
  return sign === '-' ? -value : value;
}

/** Writes a whole number in the page's language. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Writes a rate with three digits, or with all digits before the point. */
export function rate(value: number): string {
  return value >= 100 ? count(value) : value.toPrecision(Math.max(2, Math.min(3, 1 + Math.ceil(Math.log10(value)))));
}

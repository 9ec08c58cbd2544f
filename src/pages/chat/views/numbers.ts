/** A whole number as people of the page's language read it. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** A rate with three digits, or all that it has before the point. */
export function rate(value: number): string {
  return value >= 100 ? count(value) : value.toPrecision(Math.max(2, Math.min(3, 1 + Math.ceil(Math.log10(value)))));
}

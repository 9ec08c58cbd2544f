/** The smallest multiple of `alignment` that is not below `value`. Exact up to 2^53, unlike bit masks. */
export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

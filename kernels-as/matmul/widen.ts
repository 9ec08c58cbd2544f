// int8 widened to 16 bits, even columns apart from odd ones: two shifts for sixteen bytes, no shuffle.

/** Bytes 0, 2, 4 … of sixteen, as i16 [8]. */
export function evenWords(bytes: v128): v128 {
  return i16x8.shr_s(i16x8.shl(bytes, 8), 8);
}

/** Bytes 1, 3, 5 … of sixteen, as i16 [8]. */
export function oddWords(bytes: v128): v128 {
  return i16x8.shr_s(bytes, 8);
}

/** sums + products of two columns: i32 [4], one for each of four rows. */
export function dotWords(sums: v128, x: v128, weights: v128): v128 {
  return i32x4.add(sums, i32x4.dot_i16x8_s(x, weights));
}

/** `blocks` blocks of 32 activations at `x` → i16 at `to`: of each block first the even columns, then the odd ones. */
export function widenRow(to: usize, x: usize, blocks: i32): void {
  for (const end = x + ((<usize>blocks) << 5); x < end; x += 32) {
    const low = v128.load(x);
    const high = v128.load(x, 16);
    v128.store(to, evenWords(low));
    v128.store(to, evenWords(high), 16);
    v128.store(to, oddWords(low), 32);
    v128.store(to, oddWords(high), 48);
    to += 64;
  }
}

/** The same for `rows` whole rows, one after the other from `to` on. */
export function widenRows(to: usize, x: usize, xStride: usize, blocks: i32, rows: i32): void {
  for (; rows > 0; rows--) {
    widenRow(to, x, blocks);
    to += (<usize>blocks) << 6;
    x += xStride;
  }
}

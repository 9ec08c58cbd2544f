import { joined } from './weighted-sum-1-query';

// As weighted-sum-1-query.ts, for four queries, whose values are loaded and widened once.

/**
 * Four queries whose sums lie `stride` bytes apart, over the weights from `weights` to `end`, those of two tokens at
 * once.
 */
export function fourQueries(
  sums: usize,
  stride: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
  count: i32,
): void {
  let dim = 0;
  if (!NARROW) {
    for (; dim + 16 <= count; dim += 16) {
      fourBySixteen(sums, stride, factors, units, weights, end, values, rowBytes);
      sums += 64;
      values += 32;
    }
  }
  for (; dim < count; dim += 8) {
    fourByEight(sums, stride, factors, units, weights, end, values, rowBytes);
    sums += 32;
    values += 16;
  }
}

for (const [$vectors, $name] of [
  [4, 'fourBySixteen'],
  [2, 'fourByEight'],
]) {
  /** Four queries, 4 · $vectors dims. */
  function $name(
    sums0: usize,
    stride: usize,
    factors: usize,
    units: usize,
    weights: usize,
    end: usize,
    values: usize,
    rowBytes: usize,
  ): void {
    for (const $query of upTo(4)) {
      for (const $i of upTo($vectors)) {
        let a$query_$i = i32x4.splat(0);
      }
    }
    for (; weights < end; weights += 4) {
      const bytes0 = v128.load(values); // if $vectors == 4
      const bytes1 = v128.load(values, 16); // if $vectors == 4
      const v0 = i16x8.extend_low_i8x16_s(bytes0); // if $vectors == 4
      const v1 = i16x8.extend_high_i8x16_s(bytes0); // if $vectors == 4
      const v2 = i16x8.extend_low_i8x16_s(bytes1); // if $vectors == 4
      const v3 = i16x8.extend_high_i8x16_s(bytes1); // if $vectors == 4
      const v0 = v128.load8x8_s(values); // if $vectors == 2
      const v1 = v128.load8x8_s(values + 8); // if $vectors == 2
      for (const $query of upTo(4)) {
        let w = v128.load32_splat(weights, 64 * $query);
        for (const $i of upTo($vectors)) {
          a$query_$i = i32x4.add(a$query_$i, i32x4.dot_i16x8_s(v$i, w));
        }
      }
      values += rowBytes;
    }
    const sums1 = sums0 + stride;
    const sums2 = sums1 + stride;
    const sums3 = sums2 + stride;
    for (const $query of upTo(4)) {
      let factor = v128.load32_splat(factors, 4 * $query);
      let unit = v128.load32_splat(units, 4 * $query);
      for (const [$i, $j] of pairs($vectors)) {
        let low = joined(a$query_$i, unit, v128.load(sums$query, 16 * $i), factor);
        let high = joined(a$query_$j, unit, v128.load(sums$query, 16 * $j), factor);
        v128.store(sums$query, low, 16 * $i);
        v128.store(sums$query, high, 16 * $j);
      }
    }
  }
}

import { multiplyAdd } from '../vector';

// sums = sums · factor + unit · (weights · values) over the tokens of one block, for up to 32 dims: sums of whole
// numbers, which are exact in any order. Weights i16 [queries][16][2] below 2^15, factors and units f32 [queries];
// values int8 [16][…][2], two tokens together, `rowBytes` from pair to pair.

/** Four sums with what the block adds to them. */
export function joined(added: v128, unit: v128, before: v128, factor: v128): v128 {
  return multiplyAdd(f32x4.convert_i32x4_s(added), unit, f32x4.mul(before, factor));
}

/** One query. */
export function oneQuery(
  sums: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
  count: i32,
): void {
  let dim = 0;
  for (; dim + 32 <= count; dim += 32) {
    oneByThirtyTwo(sums, factors, units, weights, end, values, rowBytes);
    sums += 128;
    values += 64;
  }
  for (; dim < count; dim += 8) {
    oneByEight(sums, factors, units, weights, end, values, rowBytes);
    sums += 32;
    values += 16;
  }
}

/** One query, 32 dims. */
function oneByThirtyTwo(
  sums: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  for (const $i of upTo(8)) {
    let a$i = i32x4.splat(0);
  }
  for (; weights < end; weights += 4) {
    const w = v128.load32_splat(weights);
    for (const $i of upTo(4)) {
      const bytes$i = v128.load(values, 16 * $i);
    }
    for (const [$i, $j] of pairs(8)) {
      const $k = $i / 2;
      a$i = i32x4.add(a$i, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes$k), w));
      a$j = i32x4.add(a$j, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes$k), w));
    }
    values += rowBytes;
  }
  const factor = v128.load32_splat(factors);
  const unit = v128.load32_splat(units);
  for (const [$i, $j] of pairs(8)) {
    let low = joined(a$i, unit, v128.load(sums, 16 * $i), factor);
    let high = joined(a$j, unit, v128.load(sums, 16 * $j), factor);
    v128.store(sums, low, 16 * $i);
    v128.store(sums, high, 16 * $j);
  }
}

/** One query, 8 dims. */
function oneByEight(
  sums: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  let a0 = i32x4.splat(0);
  let a1 = a0;
  for (; weights < end; weights += 4) {
    const w = v128.load32_splat(weights);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(v128.load8x8_s(values), w));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(v128.load8x8_s(values, 8), w));
    values += rowBytes;
  }
  const factor = v128.load32_splat(factors);
  const unit = v128.load32_splat(units);
  let low = joined(a0, unit, v128.load(sums), factor);
  let high = joined(a1, unit, v128.load(sums, 16), factor);
  v128.store(sums, low);
  v128.store(sums, high, 16);
}

import { sumIntegers } from '../vector';
import { blockScale, divisor, quantize } from './quantize';

/** −8 times the sums of the first two and the last two of each four columns, from the sums of each: two i16. */
function packOffsets(sums: v128): i32 {
  const first = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1);
  const last = i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  return ((-8 * first) & 0xffff) | ((-8 * last) << 16);
}

/** f32 rows → int8, one scale, one offset and the offsets of its halves for each 32 columns (kernel-interface.ts, quantised row). */
export function quantizeRows(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  columns: i32,
  rowStart: i32,
  rowEnd: i32,
): void {
  for (let row = rowStart; row < rowEnd; row++) {
    const from = x + <usize>row * xStride;
    const to = out + <usize>row * outStride;
    const scales = to + <usize>columns;
    const offsets = scales + ((<usize>columns >> 5) << 2);
    const halves = offsets + ((<usize>columns >> 5) << 2);
    for (let column = 0; column < columns; column += 32) {
      const block = from + ((<usize>column) << 2);
      const scale = blockScale(block, 32);
      const by = divisor(scale);
      const at = (<usize>column >> 5) << 2;
      let sum = i32x4.splat(0);
      for (let i: usize = 0; i < 32; i += 16) {
        const q0 = quantize(v128.load(block + (i << 2)), by);
        const q1 = quantize(v128.load(block + (i << 2), 16), by);
        const q2 = quantize(v128.load(block + (i << 2), 32), by);
        const q3 = quantize(v128.load(block + (i << 2), 48), by);
        const part = i32x4.add(i32x4.add(q0, q1), i32x4.add(q2, q3));
        sum = i32x4.add(sum, part);
        const bytes = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(q0, q1), i16x8.narrow_i32x4_s(q2, q3));
        v128.store(to + <usize>column + i, bytes);
        store<i32>(halves + (at << 1) + (i >> 2), packOffsets(part));
      }
      store<f32>(scales + at, scale);
      store<i32>(offsets + at, -8 * sumIntegers(sum));
    }
  }
}

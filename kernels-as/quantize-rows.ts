import { blockScale, packBytes, quantize } from './quantize';

/** f32 rows → int8, one scale and one sum for each 32 columns (ops.ts, quantised row). */
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
    const sums = scales + ((<usize>columns >> 5) << 2);
    for (let column = 0; column < columns; column += 32) {
      const block = from + ((<usize>column) << 2);
      const scale = blockScale(block, 32);
      let sum = i32x4.splat(0);
      for (let i: usize = 0; i < 32; i += 4) {
        const q = quantize(v128.load(block + (i << 2)), scale);
        sum = i32x4.add(sum, q);
        store<i32>(to + <usize>column + i, packBytes(q));
      }
      const at = (<usize>column >> 5) << 2;
      store<f32>(scales + at, scale);
      sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 2, 3, 0, 1));
      store<i32>(sums + at, i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1));
    }
  }
}

import { multiplyAdd } from '../vector';
import { begin, step, whole } from './halves-begin';

for (const [$rows, $name] of ROWS) {
  /** $rows rows by `blocks` unpacked blocks, each half by half; sums wait beside their rows between halves. */
  export function $name(
    sums: usize,
    x: usize,
    xStride: usize,
    scales: usize,
    halves: usize,
    tile: usize,
    blocks: i32,
  ): void {
    const xStride2 = xStride << 1; // if $rows > 2
    const xStride3 = xStride + xStride2; // if $rows > 2
    for (; blocks > 0; blocks--) {
      for (const $half of [0, 1]) {
        for (const $row of upTo($rows)) {
          let a$row_0 = begin(halves + $row * xStride + 4 * $half);
          let a$row_1 = a$row_0;
          let a$row_2 = a$row_0;
          let a$row_3 = a$row_0;
        }
        let end = x + 16;
        for (; x < end; x += 4) {
          for (const $i of upTo(4)) {
            const w$i = v128.load(tile, 16 * $i);
          }
          for (const $row of upTo($rows)) {
            let v = v128.load32_splat(x + $row * xStride);
            for (const $i of upTo(4)) {
              a$row_$i = step(a$row_$i, v, w$i);
            }
          }
          tile += 64;
        }
        // Behind the 512 bytes of a block: the scales of its first half, and of its second.
        for (const $i of upTo(4)) {
          let scale$i = v128.load(tile, ($half ? 64 : 256) + 16 * $i);
        }
        for (const $row of upTo($rows)) {
          let scale = v128.load32_splat(scales + $row * xStride);
          for (const $i of upTo(4)) {
            const before$half$row_$i = v128.load(sums + $row * xStride, 16 * $i);
            const block$half$row_$i = f32x4.convert_i32x4_s(whole(a$row_$i));
            const y$half$row_$i = multiplyAdd(block$half$row_$i, f32x4.mul(scale$i, scale), before$half$row_$i);
          }
          for (const $i of upTo(4)) {
            v128.store(sums + $row * xStride, y$half$row_$i, 16 * $i);
          }
        }
      }
      tile += 128;
      scales += 4;
      halves += 8;
    }
  }
}

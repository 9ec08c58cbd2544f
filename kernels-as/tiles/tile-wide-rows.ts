import { dot } from '../matmul/dot';
import { Wide } from '../quant-tags';
import { add, minimum, perMinimum } from './tile-sums';

// Weights of five bits where a dot sums to 16 bits: 8 products of at most 31 · 127 fit, which are four steps of four
// columns. Four rows would want more registers than there are.

for (const [$rows, $name] of ROWS) {
  /** $rows rows by `blocks` unpacked blocks of five bits: as in tile-rows.ts, with 16-bit sums of four steps. */
  export function $name(
    sums: usize,
    x: usize,
    xStride: usize, // if $rows > 1
    scales: usize,
    offsets: usize,
    tile: usize,
    blocks: i32,
  ): void {
    for (; blocks > 0; blocks--) {
      for (const $row of upTo($rows)) {
        for (const $i of upTo(4)) {
          let a$row_$i = i32x4.splat(0);
        }
      }
      const end = x + 32;
      while (x < end) {
        for (const $row of upTo($rows)) {
          for (const $i of upTo(4)) {
            let part$row_$i = i16x8.splat(0);
          }
        }
        for (const half = x + 16; x < half; x += 4) {
          for (const $i of upTo(4)) {
            const w$i = v128.load(tile, 16 * $i);
          }
          for (const $row of upTo($rows)) {
            let v = v128.load32_splat(x + $row * xStride);
            for (const $i of upTo(4)) {
              part$row_$i = dot(part$row_$i, v, w$i);
            }
          }
          tile += 64;
        }
        for (const $row of upTo($rows)) {
          for (const $i of upTo(4)) {
            a$row_$i = i32x4.add(a$row_$i, i32x4.extadd_pairwise_i16x8_s(part$row_$i));
          }
        }
      }
      for (const $i of upTo(4)) {
        const scale$i = v128.load(tile, 16 * $i);
      }
      for (const $i of upTo(4)) {
        const minimum$i = minimum<Wide>(tile + 16 * $i, scale$i);
      }
      for (const $row of upTo($rows)) {
        let scale = v128.load32_splat(scales + $row * xStride);
        let offset = perMinimum<Wide>(offsets + $row * xStride, scale);
        for (const $i of upTo(4)) {
          const before$row_$i = v128.load(sums + $row * xStride, 16 * $i);
          const y$row_$i = add<Wide>(before$row_$i, a$row_$i, f32x4.mul(scale$i, scale), offset, minimum$i);
        }
        for (const $i of upTo(4)) {
          v128.store(sums + $row * xStride, y$row_$i, 16 * $i);
        }
      }
      tile += 128;
      scales += 4;
      offsets += 4;
    }
  }
}

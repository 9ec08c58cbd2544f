import { dotOf, joinOf } from '../matmul/dot';
import { add, begin, minimum, perMinimum } from './tile-sums';

for (const [$rows, $name] of ROWS) {
  /**
   * $rows rows of tile.ts by `blocks` unpacked blocks; sums wait beside their rows between blocks, registers hold the
   * integers. Registers of 128 bits hold two rows. The twelve sums of six rows take every register of 256 bits, and
   * only VNNI needs none besides.
   */
  export function $name<Q>(
    sums: usize,
    x: usize,
    xStride: usize, // if $rows > 1
    scales: usize,
    offsets: usize,
    tile: usize,
    blocks: i32,
  ): void {
    // One row has no stride.
    const xStride: usize = 0; // if $rows == 1
    const xStride2 = xStride << 1;
    const xStride3 = xStride + xStride2;
    const xStride4 = xStride << 2;
    const xStride5 = xStride + xStride4;
    for (; blocks > 0; blocks--) {
      for (const $row of upTo($rows)) {
        let a$row_0 = begin<Q>(offsets + $row * xStride);
        let a$row_1 = a$row_0;
        let a$row_2 = a$row_0;
        let a$row_3 = a$row_0;
      }
      const blockEnd = x + 32;
      for (; x < blockEnd; x += 4) {
        for (const $i of upTo(4)) {
          const w$i = v128.load(tile, 16 * $i);
        }
        for (const $row of upTo($rows)) {
          let v = v128.load32_splat(x + $row * xStride);
          for (const $i of upTo(4)) {
            a$row_$i = dotOf<Q>(a$row_$i, v, w$i);
          }
        }
        tile += 64;
      }
      for (const $i of upTo(4)) {
        const scale$i = v128.load(tile, 16 * $i);
      }
      for (const $i of upTo(4)) {
        const minimum$i = minimum<Q>(tile + 16 * $i, scale$i);
      }
      for (const $row of upTo($rows)) {
        let scale = v128.load32_splat(scales + $row * xStride);
        let offset = perMinimum<Q>(offsets + $row * xStride, scale);
        for (const $i of upTo(4)) {
          const y$row_$i = add<Q>(
            v128.load(sums + $row * xStride, 16 * $i),
            joinOf<Q>(a$row_$i),
            f32x4.mul(scale$i, scale),
            offset,
            minimum$i,
          );
        }
        for (const $i of upTo(4)) {
          v128.store(sums + $row * xStride, y$row_$i, 16 * $i);
        }
      }
      tile += isFloat<Q>() ? 128 : 64;
      scales += 4;
      offsets += 4;
    }
  }
}

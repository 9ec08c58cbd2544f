// Many rows by q8 weights where no instruction multiplies whole bytes: two groups are widened to 16 bits into the first
// cache, some columns at a time, and met there by two rows after the other, whose activations are widened as well. Both
// have the even columns of a block before the odd ones (widen.ts), so that each 32-bit sum is of one row of weights.

import { HALF_BIAS, HALF_MASK } from '../constants';
import { clearSums, finishSums, sumsOffset } from '../matmul/epilogue';
import { loadHalves, multiplyAdd } from '../vector';
import { dotWords, evenWords, oddWords, widenRow } from '../matmul/widen';

/** Blocks of 32 columns that rows pass over together: two groups of them take 17 KB of the first cache. */
const TILE_BLOCKS: i32 = 16;

/** Bytes of a packed block of one group: int8, then eight f16 scales. */
const PACKED_BYTES: usize = 272;

/** Bytes of a widened block of two groups: i16, then f32 scales. */
export const WIDE_BYTES: usize = 1088;

/** Bytes of one row's activations in a tile, widened. */
const ROW_BYTES: usize = 1024;

/** Room for the activations of two rows. */
export const PAIR_BYTES: usize = 2048;

/** Widens `blocks` blocks of the group at `w` to every other 32 bytes from `to` on: two columns of eight rows each. */
function widenGroup(to: usize, w: usize, blocks: i32): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  for (; blocks > 0; blocks--) {
    for (const end = w + 256; w < end; w += 32) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      const even0 = evenWords(w0);
      const even1 = evenWords(w1);
      const odd0 = oddWords(w0);
      const odd1 = oddWords(w1);
      v128.store(to, even0);
      v128.store(to, even1, 16);
      v128.store(to, odd0, 512);
      v128.store(to, odd1, 528);
      to += 64;
    }
    to += 512;
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    v128.store(to, scale0);
    v128.store(to, scale1, 16);
    w += 16;
    to += 64;
  }
}

for (const [$rows, $name] of [
  [1, 'oneRow'],
  [2, 'twoRows'],
]) {
  /** $rows rows by `blocks` widened blocks; sums wait beside their rows between blocks, registers hold the integers. */
  function $name(
    sums: usize,
    x: usize,
    xStride: usize, // if $rows > 1
    scales: usize,
    tile: usize,
    blocks: i32,
  ): void {
    for (; blocks > 0; blocks--) {
      for (const $row of upTo($rows)) {
        for (const $i of upTo(4)) {
          let a$row_$i = i32x4.splat(0);
        }
      }
      const blockEnd = x + 64;
      for (; x < blockEnd; x += 4) {
        for (const $i of upTo(4)) {
          const w$i = v128.load(tile, 16 * $i);
        }
        for (const $row of upTo($rows)) {
          let v = v128.load32_splat(x, $row * ROW_BYTES);
          for (const $i of upTo(4)) {
            a$row_$i = dotWords(a$row_$i, v, w$i);
          }
        }
        tile += 64;
      }
      for (const $i of upTo(4)) {
        const scale$i = v128.load(tile, 16 * $i);
      }
      for (const $row of upTo($rows)) {
        let scale = v128.load32_splat(scales + $row * xStride);
        for (const $i of upTo(4)) {
          const y$row_$i = add(v128.load(sums + $row * xStride, 16 * $i), a$row_$i, f32x4.mul(scale$i, scale));
        }
        for (const $i of upTo(4)) {
          v128.store(sums + $row * xStride, y$row_$i, 16 * $i);
        }
      }
      tile += 64;
      scales += 4;
    }
  }
}

/** sum + a block's integers times its scale. */
function add(sum: v128, integers: v128, scale: v128): v128 {
  return multiplyAdd(f32x4.convert_i32x4_s(integers), scale, sum);
}

/**
 * Results of groups `group` and the next one for all rows, each with the bits that it gets alone. `scratch`: WIDE_BYTES
 * for each block; `words`: PAIR_BYTES.
 */
export function multiplyWideTile(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  w: usize,
  columns: i32,
  rows: i32,
  group: i32,
  bias: usize,
  epilogue: i32,
  scratch: usize,
  words: usize,
): void {
  const blocks = columns >> 5;
  const sumRows = x + sumsOffset(columns);
  // One group after the other, as the CPU's own prefetching wants it.
  widenGroup(scratch, w, blocks);
  widenGroup(scratch + 32, w + <usize>blocks * PACKED_BYTES, blocks);
  for (let row = 0; row < rows; row++) clearSums(sumRows + <usize>row * xStride);
  for (let block = 0; block < blocks; block += TILE_BLOCKS) {
    const count = min(TILE_BLOCKS, blocks - block);
    const part = scratch + <usize>block * WIDE_BYTES;
    let at = x + ((<usize>block) << 5);
    let sums = sumRows;
    let scales = x + <usize>columns + ((<usize>block) << 2);
    let left = rows;
    for (; left >= 2; left -= 2) {
      widenRow(words, at, count);
      widenRow(words + ROW_BYTES, at + xStride, count);
      twoRows(sums, words, xStride, scales, part, count);
      at += xStride << 1;
      sums += xStride << 1;
      scales += xStride << 1;
    }
    if (left) {
      widenRow(words, at, count);
      oneRow(sums, words, scales, part, count);
    }
  }
  finishSums(out, outStride, sumRows, xStride, rows, bias, group, 2, epilogue);
}

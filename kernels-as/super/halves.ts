import { clearSums, finishSums, sumsOffset } from '../matmul/epilogue';
import { oneRow, twoRows } from './halves-1-2-rows';
import { fourRows } from './halves-4-rows';

// Rows by one or two groups whose blocks of 32 columns have a scale for each half and 32 as zero point (unpack-q6k.ts): as
// tile.ts does it, each half with the sum of its own activations.

/** Blocks of 32 columns that rows pass over together, as in tile.ts. */
const TILE_BLOCKS: i32 = 32;
/** Bytes of an unpacked block of two groups. */
const UNPACKED_BYTES: usize = 640;

/** Results of the one or two `groups` from `group` on, unpacked in `scratch`, for all rows, each with the bits that it gets alone. */
export function multiplyHalves(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  columns: i32,
  rows: i32,
  group: i32,
  groups: i32,
  bias: usize,
  epilogue: i32,
  scratch: usize,
): void {
  const blocks = columns >> 5;
  const offsets = <usize>columns >> 2;
  const sumRows = x + sumsOffset(columns);
  for (let row = 0; row < rows; row++) clearSums(sumRows + <usize>row * xStride);
  for (let block = 0; block < blocks; block += TILE_BLOCKS) {
    const count = min(TILE_BLOCKS, blocks - block);
    const part = scratch + <usize>block * UNPACKED_BYTES;
    let at = x + ((<usize>block) << 5);
    let sums = sumRows;
    let scales = x + <usize>columns + ((<usize>block) << 2);
    let halves = x + <usize>columns + offsets + ((<usize>block) << 3);
    let left = rows;
    for (; !NARROW && left >= 4; left -= 4) {
      fourRows(sums, at, xStride, scales, halves, part, count);
      at += xStride << 2;
      sums += xStride << 2;
      scales += xStride << 2;
      halves += xStride << 2;
    }
    for (; left >= 2; left -= 2) {
      twoRows(sums, at, xStride, scales, halves, part, count);
      at += xStride << 1;
      sums += xStride << 1;
      scales += xStride << 1;
      halves += xStride << 1;
    }
    if (left) oneRow(sums, at, xStride, scales, halves, part, count);
  }
  finishSums(out, outStride, sumRows, xStride, rows, bias, group, groups, epilogue);
}

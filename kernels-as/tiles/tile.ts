// Many rows by integer weights: two groups are unpacked into the first cache, some columns at a time, and met there by
// six or four rows after the other, or two where vectors are narrow. Q says what weights mean
// (quant-tags.ts); whole bytes come only with VNNI.

import { clearSums, finishSums, sumsOffset } from '../matmul/epilogue';
import { oneRow, twoRows } from './tile-1-2-rows';
import { fourRows } from './tile-4-rows';
import { sixRows } from './tile-6-rows';
import { packedBytes, unpack, unpackedBytes } from './tile-unpack';
import { oneRow as oneWideRow, twoRows as twoWideRows } from './tile-wide-1-2-rows';

/** Blocks of 32 columns that rows pass over together: with four rows of activations they fit the first cache. */
const TILE_BLOCKS: i32 = 32;

/** Results of groups `group` and the next one for all rows, each with the bits that it gets alone. */
export function multiplyTile<Q>(
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
): void {
  const blocks = columns >> 5;
  // One group after the other, as the CPU's own prefetching wants it.
  unpack<Q>(scratch, w, blocks);
  unpack<Q>(scratch + 32, w + <usize>blocks * packedBytes<Q>(), blocks);
  multiplyUnpacked<Q>(out, outStride, x, xStride, columns, rows, group, 2, bias, epilogue, scratch);
}

/** The same for the one or two `groups` that lie unpacked in `scratch`. */
export function multiplyUnpacked<Q>(
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
  const offsets = <usize>columns >> 3;
  const sumRows = x + sumsOffset(columns);
  for (let row = 0; row < rows; row++) clearSums(sumRows + <usize>row * xStride);
  for (let block = 0; block < blocks; block += TILE_BLOCKS) {
    const count = min(TILE_BLOCKS, blocks - block);
    const part = scratch + <usize>block * unpackedBytes<Q>();
    let at = x + ((<usize>block) << 5);
    let sums = sumRows;
    let scales = x + <usize>columns + ((<usize>block) << 2);
    let left = rows;
    if (ASC_FEATURE_RELAXED_SIMD && !VNNI && sizeof<Q>() == 8) {
      for (; left >= 2; left -= 2) {
        twoWideRows(sums, at, xStride, scales, scales + offsets, part, count);
        at += xStride << 1;
        sums += xStride << 1;
        scales += xStride << 1;
      }
      if (left) oneWideRow(sums, at, scales, scales + offsets, part, count);
      continue;
    }
    for (; VNNI && left >= 6; left -= 6) {
      sixRows<Q>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride * 6;
      sums += xStride * 6;
      scales += xStride * 6;
    }
    for (; !NARROW && left >= 4; left -= 4) {
      fourRows<Q>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride << 2;
      sums += xStride << 2;
      scales += xStride << 2;
    }
    for (; left >= 2; left -= 2) {
      twoRows<Q>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride << 1;
      sums += xStride << 1;
      scales += xStride << 1;
    }
    if (left) oneRow<Q>(sums, at, scales, scales + offsets, part, count);
  }
  finishSums(out, outStride, sumRows, xStride, rows, bias, group, groups, epilogue);
}

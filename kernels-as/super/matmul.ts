import { beforeOf, biasOf, factorOf, finish, outputOffset } from '../matmul/epilogue';
import { multiplyUnpacked } from '../tiles/tile';
import { Q4m, Wide } from '../quant-tags';
import { multiplyHalves } from './halves';
import { oneRowFifth } from './one-row-fifth';
import { oneRowK } from './one-row-k';
import { oneRowQ6k } from './one-row-q6k';
import { groupBytes, Q4K_BYTES, Q5K_BYTES, unpackK } from './unpack-k';
import { Q5_BYTES, Q5M_BYTES, unpackQ5 } from './unpack-fifth';
import { Q6K_BYTES, unpackQ6k } from './unpack-q6k';

// x · weightsᵀ with quants that are unpacked to bytes before rows meet them (kernel-interface.ts, Matmul): two groups
// at a time into the first cache. A single row takes weights as they come where there is a kernel for it.

// Of each quant: bytes of a group, the kernel of one row, how columns are unpacked, and how several rows meet them.
for (const [$quant, $bytes, $oneRow, $unpack, $columns, $rows] of [
  ['Q4k', 'groupBytes(columns, Q4K_BYTES)', 'oneRowK<i32>', 'unpackK', 'columns, false', 'multiplyUnpacked<Q4m>'],
  ['Q5k', 'groupBytes(columns, Q5K_BYTES)', 'oneRowK<Wide>', 'unpackK', 'columns, true', 'multiplyUnpacked<Wide>'],
  [
    'Q5',
    '(<usize>columns >> 5) * Q5_BYTES',
    'oneRowFifth<i32>',
    'unpackQ5',
    'columns, false',
    'multiplyUnpacked<Wide>',
  ],
  [
    'Q5m',
    '(<usize>columns >> 5) * Q5M_BYTES',
    'oneRowFifth<f32>',
    'unpackQ5',
    'columns, true',
    'multiplyUnpacked<Wide>',
  ],
  ['Q6k', 'groupBytes(columns, Q6K_BYTES)', 'oneRowQ6k', 'unpackQ6k', 'columns', 'multiplyHalves'],
]) {
  // Sums of four bits fit 16 only where they are joined in pairs.
  const $portableRows = '$rows'.replace('Q4m', 'Wide');

  /** With $quant weights. */
  export function matmul$quant(
    out: usize,
    outStride: usize,
    x: usize,
    xStride: usize,
    weights: usize,
    columns: i32,
    rows: i32,
    groupStart: i32,
    groupEnd: i32,
    bias: usize,
    epilogue: i32,
    scratch: usize,
  ): void {
    const bytes = $bytes;
    if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
      const scales = x + <usize>columns;
      const offsets = scales + (<usize>columns >> 3);
      for (let group = groupStart; group < groupEnd; group++) {
        const at = out + outputOffset(group, epilogue);
        const w = weights + <usize>group * bytes;
        const biases = biasOf(bias, group);
        $oneRow(at, x, scales, offsets, columns, w, biases, beforeOf(at, epilogue), factorOf(at, group, epilogue));
        finish(at, outStride, 1, group, epilogue);
      }
      return;
    }
    for (let group = groupStart; group < groupEnd; group += 2) {
      const groups = min(2, groupEnd - group);
      const w = weights + <usize>group * bytes;
      $unpack(scratch, w, $columns);
      if (groups == 2) $unpack(scratch + 32, w + bytes, $columns);
      if (ASC_FEATURE_RELAXED_SIMD)
        $rows(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
      else $portableRows(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
    }
  }
}

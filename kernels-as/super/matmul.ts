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

/** With q4k weights. */
export function matmulQ4k(
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
  const bytes = groupBytes(columns, Q4K_BYTES);
  if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
    const scales = x + <usize>columns;
    const offsets = scales + (<usize>columns >> 3);
    for (let group = groupStart; group < groupEnd; group++) {
      const at = out + outputOffset(group, epilogue);
      const w = weights + <usize>group * bytes;
      oneRowK<i32>(
        at,
        x,
        scales,
        offsets,
        columns,
        w,
        biasOf(bias, group),
        beforeOf(at, epilogue),
        factorOf(at, group, epilogue),
      );
      finish(at, outStride, 1, group, epilogue);
    }
    return;
  }
  for (let group = groupStart; group < groupEnd; group += 2) {
    const groups = min(2, groupEnd - group);
    const w = weights + <usize>group * bytes;
    unpackK(scratch, w, columns, false);
    if (groups == 2) unpackK(scratch + 32, w + bytes, columns, false);
    // Sums of four bits fit 16, where they are joined in pairs.
    if (ASC_FEATURE_RELAXED_SIMD)
      multiplyUnpacked<Q4m>(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
    else multiplyUnpacked<Wide>(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
  }
}

/** With q5k weights. */
export function matmulQ5k(
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
  const bytes = groupBytes(columns, Q5K_BYTES);
  if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
    const scales = x + <usize>columns;
    const offsets = scales + (<usize>columns >> 3);
    for (let group = groupStart; group < groupEnd; group++) {
      const at = out + outputOffset(group, epilogue);
      const w = weights + <usize>group * bytes;
      oneRowK<Wide>(
        at,
        x,
        scales,
        offsets,
        columns,
        w,
        biasOf(bias, group),
        beforeOf(at, epilogue),
        factorOf(at, group, epilogue),
      );
      finish(at, outStride, 1, group, epilogue);
    }
    return;
  }
  for (let group = groupStart; group < groupEnd; group += 2) {
    const groups = min(2, groupEnd - group);
    const w = weights + <usize>group * bytes;
    unpackK(scratch, w, columns, true);
    if (groups == 2) unpackK(scratch + 32, w + bytes, columns, true);
    multiplyUnpacked<Wide>(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
  }
}

/** With q5 weights. */
export function matmulQ5(
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
  const bytes = (<usize>columns >> 5) * Q5_BYTES;
  if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
    const scales = x + <usize>columns;
    const offsets = scales + (<usize>columns >> 3);
    for (let group = groupStart; group < groupEnd; group++) {
      const at = out + outputOffset(group, epilogue);
      const w = weights + <usize>group * bytes;
      oneRowFifth<i32>(
        at,
        x,
        scales,
        offsets,
        columns,
        w,
        biasOf(bias, group),
        beforeOf(at, epilogue),
        factorOf(at, group, epilogue),
      );
      finish(at, outStride, 1, group, epilogue);
    }
    return;
  }
  for (let group = groupStart; group < groupEnd; group += 2) {
    const groups = min(2, groupEnd - group);
    const w = weights + <usize>group * bytes;
    unpackQ5(scratch, w, columns, false);
    if (groups == 2) unpackQ5(scratch + 32, w + bytes, columns, false);
    multiplyUnpacked<Wide>(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
  }
}

/** With q5m weights. */
export function matmulQ5m(
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
  const bytes = (<usize>columns >> 5) * Q5M_BYTES;
  if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
    const scales = x + <usize>columns;
    const offsets = scales + (<usize>columns >> 3);
    for (let group = groupStart; group < groupEnd; group++) {
      const at = out + outputOffset(group, epilogue);
      const w = weights + <usize>group * bytes;
      oneRowFifth<f32>(
        at,
        x,
        scales,
        offsets,
        columns,
        w,
        biasOf(bias, group),
        beforeOf(at, epilogue),
        factorOf(at, group, epilogue),
      );
      finish(at, outStride, 1, group, epilogue);
    }
    return;
  }
  for (let group = groupStart; group < groupEnd; group += 2) {
    const groups = min(2, groupEnd - group);
    const w = weights + <usize>group * bytes;
    unpackQ5(scratch, w, columns, true);
    if (groups == 2) unpackQ5(scratch + 32, w + bytes, columns, true);
    multiplyUnpacked<Wide>(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
  }
}

/** With q6k weights. */
export function matmulQ6k(
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
  const bytes = groupBytes(columns, Q6K_BYTES);
  if (ASC_FEATURE_RELAXED_SIMD && rows == 1) {
    const scales = x + <usize>columns;
    const offsets = scales + (<usize>columns >> 3);
    for (let group = groupStart; group < groupEnd; group++) {
      const at = out + outputOffset(group, epilogue);
      const w = weights + <usize>group * bytes;
      oneRowQ6k(
        at,
        x,
        scales,
        offsets,
        columns,
        w,
        biasOf(bias, group),
        beforeOf(at, epilogue),
        factorOf(at, group, epilogue),
      );
      finish(at, outStride, 1, group, epilogue);
    }
    return;
  }
  for (let group = groupStart; group < groupEnd; group += 2) {
    const groups = min(2, groupEnd - group);
    const w = weights + <usize>group * bytes;
    unpackQ6k(scratch, w, columns);
    if (groups == 2) unpackQ6k(scratch + 32, w + bytes, columns);
    multiplyHalves(out, outStride, x, xStride, columns, rows, group, groups, bias, epilogue, scratch);
  }
}

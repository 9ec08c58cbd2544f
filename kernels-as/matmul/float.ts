import { HALF_BIAS, HALF_MASK } from '../constants';
import { beforeOf, biasOf, factorOf, finish, outputOffset, result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';

/** Four elements of type T at `from` as f32 [4]: f32; u16 stands for bf16, i16 for f16. */
function weights4<T>(from: usize, mask: v128, bias: v128): v128 {
  if (isFloat<T>()) return v128.load(from);
  if (isSigned<T>()) return loadHalves(from, mask, bias);
  return i32x4.shl(v128.load16x4_u(from), 16);
}

/** One row. Even and odd columns have sums of their own, so that additions need not wait for each other. */
function oneRow<T>(out: usize, x: usize, w: usize, columns: i32, bias: usize, before: usize, factor: usize): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  let even0 = f32x4.splat(0);
  let even1 = even0;
  let odd0 = even0;
  let odd1 = even0;
  const end = x + ((<usize>columns) << 2);
  for (; x < end; x += 8) {
    const x0 = v128.load32_splat(x);
    const x1 = v128.load32_splat(x, 4);
    even0 = multiplyAdd(weights4<T>(w, mask, half), x0, even0);
    even1 = multiplyAdd(weights4<T>(w + 4 * sizeof<T>(), mask, half), x0, even1);
    odd0 = multiplyAdd(weights4<T>(w + 8 * sizeof<T>(), mask, half), x1, odd0);
    odd1 = multiplyAdd(weights4<T>(w + 12 * sizeof<T>(), mask, half), x1, odd1);
    w += 16 * sizeof<T>();
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(f32x4.add(even0, odd0), bias0, before, factor);
  const highA = result(f32x4.add(even1, odd1), bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}

/** Two rows: each weight is loaded once for both. The same sums in the same order as `oneRow`. */
function twoRows<T>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  w: usize,
  columns: i32,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  let evenA0 = f32x4.splat(0);
  let evenA1 = evenA0;
  let oddA0 = evenA0;
  let oddA1 = evenA0;
  let evenB0 = evenA0;
  let evenB1 = evenA0;
  let oddB0 = evenA0;
  let oddB1 = evenA0;
  const end = x + ((<usize>columns) << 2);
  for (; x < end; x += 8) {
    const w0 = weights4<T>(w, mask, half);
    const w1 = weights4<T>(w + 4 * sizeof<T>(), mask, half);
    const w2 = weights4<T>(w + 8 * sizeof<T>(), mask, half);
    const w3 = weights4<T>(w + 12 * sizeof<T>(), mask, half);
    const a0 = v128.load32_splat(x);
    const a1 = v128.load32_splat(x, 4);
    const b0 = v128.load32_splat(x + xStride);
    const b1 = v128.load32_splat(x + xStride, 4);
    evenA0 = multiplyAdd(w0, a0, evenA0);
    evenA1 = multiplyAdd(w1, a0, evenA1);
    oddA0 = multiplyAdd(w2, a1, oddA0);
    oddA1 = multiplyAdd(w3, a1, oddA1);
    evenB0 = multiplyAdd(w0, b0, evenB0);
    evenB1 = multiplyAdd(w1, b0, evenB1);
    oddB0 = multiplyAdd(w2, b1, oddB0);
    oddB1 = multiplyAdd(w3, b1, oddB1);
    w += 16 * sizeof<T>();
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const beforeStride = strideOf(before, out, outStride);
  const factorStride = strideOf(factor, out, outStride);
  const lowA = result(f32x4.add(evenA0, oddA0), bias0, before, factor);
  const highA = result(f32x4.add(evenA1, oddA1), bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowB = result(f32x4.add(evenB0, oddB0), bias0, before, factor);
  const highB = result(f32x4.add(evenB1, oddB1), bias1, before + 16, factor + 16);
  v128.store(out, lowB);
  v128.store(out, highB, 16);
}

/** ops.ts, Matmul, for float weights: a group's weights stay in the first cache while all rows pass. */
export function matmulFloat<T>(
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
): void {
  const groupBytes = <usize>columns * 8 * sizeof<T>();
  for (let group = groupStart; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    const at = out + outputOffset(group, epilogue);
    const biases = biasOf(bias, group);
    let to = at;
    let from = x;
    let left = rows;
    for (; left >= 2; left -= 2) {
      twoRows<T>(
        to,
        outStride,
        from,
        xStride,
        w,
        columns,
        biases,
        beforeOf(to, epilogue),
        factorOf(to, group, epilogue),
      );
      to += outStride << 1;
      from += xStride << 1;
    }
    if (left) oneRow<T>(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
    finish(at, outStride, rows, group, epilogue);
  }
}

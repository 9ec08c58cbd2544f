import { HALF_BIAS, HALF_MASK } from './constants';
import { finish, isPlain, outputOffset } from './epilogue';
import { loadHalves, multiplyAdd } from './vector';

/** Four elements of type T at `from` as f32 [4]: f32; u16 stands for bf16, i16 for f16. */
function weights4<T>(from: usize, mask: v128, bias: v128): v128 {
  if (isFloat<T>()) return v128.load(from);
  if (isSigned<T>()) return loadHalves(from, mask, bias);
  return i32x4.shl(v128.load16x4_u(from), 16);
}

/** One row. Even and odd columns have sums of their own, so that additions need not wait for each other. */
function oneRow<T>(out: usize, x: usize, w: usize, columns: i32, bias: usize, group: i32, epilogue: i32): void {
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
  const sum0 = f32x4.add(even0, odd0);
  const sum1 = f32x4.add(even1, odd1);
  if (isPlain(bias, epilogue)) {
    v128.store(out, sum0);
    v128.store(out, sum1, 16);
  } else {
    finish(out, sum0, sum1, bias, group, epilogue);
  }
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
  group: i32,
  epilogue: i32,
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
  const sumA0 = f32x4.add(evenA0, oddA0);
  const sumA1 = f32x4.add(evenA1, oddA1);
  const sumB0 = f32x4.add(evenB0, oddB0);
  const sumB1 = f32x4.add(evenB1, oddB1);
  if (isPlain(bias, epilogue)) {
    v128.store(out, sumA0);
    v128.store(out, sumA1, 16);
    v128.store(out + outStride, sumB0);
    v128.store(out + outStride, sumB1, 16);
  } else {
    finish(out, sumA0, sumA1, bias, group, epilogue);
    finish(out + outStride, sumB0, sumB1, bias, group, epilogue);
  }
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
    const biases = bias ? bias + ((<usize>group) << 5) : 0;
    let to = out + outputOffset(group, epilogue);
    let from = x;
    let left = rows;
    for (; left >= 2; left -= 2) {
      twoRows<T>(to, outStride, from, xStride, w, columns, biases, group, epilogue);
      to += outStride << 1;
      from += xStride << 1;
    }
    if (left) oneRow<T>(to, from, w, columns, biases, group, epilogue);
  }
}

import { HALF_BIAS, HALF_MASK } from '../constants';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';

/** Four elements of type T at `from` as f32 [4]: f32; u16 stands for bf16, i16 for f16. */
function weights4<T>(from: usize, mask: v128, bias: v128): v128 {
  if (isFloat<T>()) return v128.load(from);
  if (isSigned<T>()) return loadHalves(from, mask, bias);
  return i32x4.shl(v128.load16x4_u(from), 16);
}

for (const [$rows, $name] of ROWS) {
  /**
   * $rows rows: each weight is loaded once for all. Even and odd columns have sums of their own, so that additions need
   * not wait for each other; a row's sums have the same order in both functions.
   */
  export function $name<T>(
    out: usize,
    outStride: usize, // if $rows > 1
    x: usize,
    xStride: usize, // if $rows > 1
    w: usize,
    columns: i32,
    bias: usize,
    before: usize,
    factor: usize,
  ): void {
    // One row has no strides.
    const outStride: usize = 0; // if $rows == 1
    const xStride: usize = 0; // if $rows == 1
    const mask = v128.load(HALF_MASK);
    const half = v128.load(HALF_BIAS);
    for (const $row of upTo($rows)) {
      let even$row_0 = f32x4.splat(0);
      let even$row_1 = even$row_0;
      let odd$row_0 = even$row_0;
      let odd$row_1 = even$row_0;
    }
    const end = x + ((<usize>columns) << 2);
    for (; x < end; x += 8) {
      for (const $i of upTo(4)) {
        const w$i = weights4<T>(w + $i * 4 * sizeof<T>(), mask, half);
      }
      for (const $row of upTo($rows)) {
        const even$row = v128.load32_splat(x + $row * xStride);
        const odd$row = v128.load32_splat(x + $row * xStride, 4);
      }
      for (const $row of upTo($rows)) {
        even$row_0 = multiplyAdd(w0, even$row, even$row_0);
        even$row_1 = multiplyAdd(w1, even$row, even$row_1);
        odd$row_0 = multiplyAdd(w2, odd$row, odd$row_0);
        odd$row_1 = multiplyAdd(w3, odd$row, odd$row_1);
      }
      w += 16 * sizeof<T>();
    }
    const bias0 = v128.load(bias);
    const bias1 = v128.load(bias, 16);
    const beforeStride = strideOf(before, out, outStride);
    const factorStride = strideOf(factor, out, outStride);
    for (const $row of upTo($rows)) {
      const low$row = result(f32x4.add(even$row_0, odd$row_0), bias0, before, factor);
      const high$row = result(f32x4.add(even$row_1, odd$row_1), bias1, before + 16, factor + 16);
      v128.store(out, low$row);
      v128.store(out, high$row, 16);
      out += outStride;
      before += beforeStride;
      factor += factorStride;
    }
  }
}

import { HALF_BIAS, HALF_MASK } from '../constants';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';
import { dotWords } from './widen';

for (const [$rows, $name] of ROWS) {
  /**
   * As `oneRow` of q8-words-1-row.ts for $rows rows: each weight is widened once for all. The same sums in the same
   * order.
   */
  export function $name(
    out: usize,
    outStride: usize,
    x: usize,
    xStride: usize,
    scales: usize,
    scaleStride: usize,
    w: usize,
    blocks: i32,
    start: usize,
    startStride: usize,
    bias: usize,
    before: usize,
    factor: usize,
  ): void {
    for (const $row of upTo($rows)) {
      let from = start;
      from += startStride << 1; // if $row & 2
      from += startStride; // if $row & 1
      let sum$row_0 = v128.load(from);
      let sum$row_1 = v128.load(from, 16);
    }
    const xStride2 = xStride << 1;
    const xStride3 = xStride + xStride2;
    for (; blocks > 0; blocks--) {
      for (const $row of upTo($rows)) {
        let a$row_0 = i32x4.splat(0);
        let a$row_1 = a$row_0;
      }
      const even = w + 256;
      for (const $odd of [0, 1]) {
        for (; w < even; w += 32) {
          const w0 = $odd ? i16x8.shr_s(v128.load(w), 8) : i16x8.shl(v128.load(w), 8);
          const w1 = $odd ? i16x8.shr_s(v128.load(w, 16), 8) : i16x8.shl(v128.load(w, 16), 8);
          for (const $row of upTo($rows)) {
            let v = v128.load32_splat(x + $row * xStride);
            a$row_0 = dotWords(a$row_0, v, w0);
            a$row_1 = dotWords(a$row_1, v, w1);
          }
          x += 4;
        }
        for (const $row of upTo($odd ? 0 : $rows)) {
          a$row_0 = i32x4.shr_s(a$row_0, 8);
          a$row_1 = i32x4.shr_s(a$row_1, 8);
        }
        w -= 256; // if !$odd
      }
      const mask = v128.load(HALF_MASK);
      const half = v128.load(HALF_BIAS);
      const scale0 = loadHalves(w, mask, half);
      const scale1 = loadHalves(w + 8, mask, half);
      for (const $row of upTo($rows)) {
        let from = scales;
        from += scaleStride << 1; // if $row & 2
        from += scaleStride; // if $row & 1
        let scale = v128.load32_splat(from);
        sum$row_0 = multiplyAdd(f32x4.convert_i32x4_s(a$row_0), f32x4.mul(scale0, scale), sum$row_0);
        sum$row_1 = multiplyAdd(f32x4.convert_i32x4_s(a$row_1), f32x4.mul(scale1, scale), sum$row_1);
      }
      scales += 4;
      w += 16;
    }
    const bias0 = v128.load(bias);
    const bias1 = v128.load(bias, 16);
    const beforeStride = strideOf(before, out, outStride);
    const factorStride = strideOf(factor, out, outStride);
    for (const $row of upTo($rows)) {
      const low$row = result(sum$row_0, bias0, before, factor);
      const high$row = result(sum$row_1, bias1, before + 16, factor + 16);
      v128.store(out, low$row);
      v128.store(out, high$row, 16);
      out += outStride;
      before += beforeStride;
      factor += factorStride;
    }
  }
}

import { FLIP, HALF_BIAS, HALF_MASK, NIBBLES } from './constants';
import { dot, join } from './dot';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd, upper } from './vector';

// For dots whose second operand ends at 127: weight + 128 = 16 · high + low, two nibbles that meet the activations as
// those of q4 do, in sums of 16 bits for a whole block. The 128 leave with the block's sum of activations.

/** −128 times the block's sum of activations. */
function zeroPoint(offsets: usize): v128 {
  return i32x4.shl(v128.load32_splat(offsets), 4);
}

/** Sums of the nibbles → sums of the weights. */
function whole(low: v128, high: v128): v128 {
  return i32x4.add(i32x4.shl(join(high), 4), join(low));
}

/** A block's sums as floats, without the zero point. */
function without(sums: v128, zero: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(sums, zero));
}

/** One row: for each block of 32 columns an exact integer sum, then one multiply-add. */
export function oneRow(out: usize, x: usize, w: usize, columns: i32, bias: usize, before: usize, factor: usize): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  while (x < end) {
    let aLow0 = i32x4.splat(0);
    let aLow1 = aLow0;
    let aHigh0 = aLow0;
    let aHigh1 = aLow0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.xor(v128.load(w), flip0);
      const w1 = v128.xor(v128.load(w, 16), flip1);
      const low0 = v128.and(w0, nibbles0);
      const low1 = v128.and(w1, nibbles1);
      const high0 = upper(w0, nibbles0);
      const high1 = upper(w1, nibbles1);
      const v = v128.load32_splat(x);
      aLow0 = dot(aLow0, v, low0);
      aLow1 = dot(aLow1, v, low1);
      aHigh0 = dot(aHigh0, v, high0);
      aHigh1 = dot(aHigh1, v, high1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const scale = v128.load32_splat(scales);
    const zero = zeroPoint(scales + offsets);
    sumA0 = multiplyAdd(without(whole(aLow0, aHigh0), zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(without(whole(aLow1, aHigh1), zero), f32x4.mul(scale1, scale), sumA1);
    scales += 4;
    w += 16;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}

/** Four rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function fourRows(
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
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  let sumC0 = sumA0;
  let sumC1 = sumA0;
  let sumD0 = sumA0;
  let sumD1 = sumA0;
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  while (x < end) {
    let aLow0 = i32x4.splat(0);
    let aLow1 = aLow0;
    let aHigh0 = aLow0;
    let aHigh1 = aLow0;
    let bLow0 = aLow0;
    let bLow1 = aLow0;
    let bHigh0 = aLow0;
    let bHigh1 = aLow0;
    let cLow0 = aLow0;
    let cLow1 = aLow0;
    let cHigh0 = aLow0;
    let cHigh1 = aLow0;
    let dLow0 = aLow0;
    let dLow1 = aLow0;
    let dHigh0 = aLow0;
    let dHigh1 = aLow0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.xor(v128.load(w), flip0);
      const w1 = v128.xor(v128.load(w, 16), flip1);
      const low0 = v128.and(w0, nibbles0);
      const low1 = v128.and(w1, nibbles1);
      const high0 = upper(w0, nibbles0);
      const high1 = upper(w1, nibbles1);
      let v = v128.load32_splat(x);
      aLow0 = dot(aLow0, v, low0);
      aLow1 = dot(aLow1, v, low1);
      aHigh0 = dot(aHigh0, v, high0);
      aHigh1 = dot(aHigh1, v, high1);
      v = v128.load32_splat(x + xStride);
      bLow0 = dot(bLow0, v, low0);
      bLow1 = dot(bLow1, v, low1);
      bHigh0 = dot(bHigh0, v, high0);
      bHigh1 = dot(bHigh1, v, high1);
      v = v128.load32_splat(x + stride2);
      cLow0 = dot(cLow0, v, low0);
      cLow1 = dot(cLow1, v, low1);
      cHigh0 = dot(cHigh0, v, high0);
      cHigh1 = dot(cHigh1, v, high1);
      v = v128.load32_splat(x + stride3);
      dLow0 = dot(dLow0, v, low0);
      dLow1 = dot(dLow1, v, low1);
      dHigh0 = dot(dHigh0, v, high0);
      dHigh1 = dot(dHigh1, v, high1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    let zero = zeroPoint(scales + offsets);
    sumA0 = multiplyAdd(without(whole(aLow0, aHigh0), zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(without(whole(aLow1, aHigh1), zero), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(scales + xStride);
    zero = zeroPoint(scales + offsets + xStride);
    sumB0 = multiplyAdd(without(whole(bLow0, bHigh0), zero), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(without(whole(bLow1, bHigh1), zero), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(scales + stride2);
    zero = zeroPoint(scales + offsets + stride2);
    sumC0 = multiplyAdd(without(whole(cLow0, cHigh0), zero), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(without(whole(cLow1, cHigh1), zero), f32x4.mul(scale1, scale), sumC1);
    scale = v128.load32_splat(scales + stride3);
    zero = zeroPoint(scales + offsets + stride3);
    sumD0 = multiplyAdd(without(whole(dLow0, dHigh0), zero), f32x4.mul(scale0, scale), sumD0);
    sumD1 = multiplyAdd(without(whole(dLow1, dHigh1), zero), f32x4.mul(scale1, scale), sumD1);
    scales += 4;
    w += 16;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const beforeStride = strideOf(before, out, outStride);
  const factorStride = strideOf(factor, out, outStride);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowB = result(sumB0, bias0, before, factor);
  const highB = result(sumB1, bias1, before + 16, factor + 16);
  v128.store(out, lowB);
  v128.store(out, highB, 16);
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowC = result(sumC0, bias0, before, factor);
  const highC = result(sumC1, bias1, before + 16, factor + 16);
  v128.store(out, lowC);
  v128.store(out, highC, 16);
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowD = result(sumD0, bias0, before, factor);
  const highD = result(sumD1, bias1, before + 16, factor + 16);
  v128.store(out, lowD);
  v128.store(out, highD, 16);
}

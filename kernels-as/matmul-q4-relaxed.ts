import { HALF_BIAS, HALF_MASK, NIBBLES } from './constants';
import { finish, isPlain } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves } from './vector';

// A byte holds two weights, columns c and 16 + c of its row. The 16-bit sums of a whole block fit:
// 16 products of at most 15 · 127 are 30,480. Nibbles are the dot's second operand, which every CPU reads as positive.

/** sums + products of four activations with the nibbles of four rows, in pairs. */
function dot(sums: v128, x: v128, nibbles: v128): v128 {
  return i16x8.add(sums, i16x8.relaxed_dot_i8x16_i7x16_s(x, nibbles));
}

/** The upper nibbles of 16 bytes. */
function upper(w: v128, mask: v128): v128 {
  return v128.and(i16x8.shr_u(w, 4), mask);
}

/** Pairs of a block → one sum for each of four rows. */
function join(pairs: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_s(pairs);
}

/** One row: for each block of 32 columns an exact integer sum, then one multiply-add. */
export function oneRow<M>(out: usize, x: usize, w: usize, columns: i32, bias: usize, group: i32, epilogue: i32): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  let scales = x + <usize>columns;
  const sums = <usize>columns >> 3;
  const end = scales;
  for (; x < end; x += 32) {
    let w0 = v128.load(w);
    let w1 = v128.load(w, 16);
    let v = v128.load32_splat(x);
    let p0 = i16x8.relaxed_dot_i8x16_i7x16_s(v, v128.and(w0, nibbles0));
    let p1 = i16x8.relaxed_dot_i8x16_i7x16_s(v, v128.and(w1, nibbles1));
    v = v128.load32_splat(x, 16);
    p0 = dot(p0, v, upper(w0, nibbles0));
    p1 = dot(p1, v, upper(w1, nibbles1));
    w0 = v128.load(w, 32);
    w1 = v128.load(w, 48);
    v = v128.load32_splat(x, 4);
    p0 = dot(p0, v, v128.and(w0, nibbles0));
    p1 = dot(p1, v, v128.and(w1, nibbles1));
    v = v128.load32_splat(x, 20);
    p0 = dot(p0, v, upper(w0, nibbles0));
    p1 = dot(p1, v, upper(w1, nibbles1));
    w0 = v128.load(w, 64);
    w1 = v128.load(w, 80);
    v = v128.load32_splat(x, 8);
    p0 = dot(p0, v, v128.and(w0, nibbles0));
    p1 = dot(p1, v, v128.and(w1, nibbles1));
    v = v128.load32_splat(x, 24);
    p0 = dot(p0, v, upper(w0, nibbles0));
    p1 = dot(p1, v, upper(w1, nibbles1));
    w0 = v128.load(w, 96);
    w1 = v128.load(w, 112);
    v = v128.load32_splat(x, 12);
    p0 = dot(p0, v, v128.and(w0, nibbles0));
    p1 = dot(p1, v, v128.and(w1, nibbles1));
    v = v128.load32_splat(x, 28);
    p0 = dot(p0, v, upper(w0, nibbles0));
    p1 = dot(p1, v, upper(w1, nibbles1));
    const scale = v128.load32_splat(scales);
    const zero = offset<M>(scales + sums, scale);
    const minimum0 = minima<M>(w + 144, mask, half);
    const minimum1 = minima<M>(w + 152, mask, half);
    sum0 = addBlock<M>(sum0, join(p0), f32x4.mul(loadHalves(w + 128, mask, half), scale), zero, minimum0);
    sum1 = addBlock<M>(sum1, join(p1), f32x4.mul(loadHalves(w + 136, mask, half), scale), zero, minimum1);
    scales += 4;
    w += blockBytes<M>();
  }
  if (isPlain(bias, epilogue)) {
    v128.store(out, sum0);
    v128.store(out, sum1, 16);
  } else {
    finish(out, sum0, sum1, bias, group, epilogue);
  }
}

/** Four rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function fourRows<M>(
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
  const sums = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  for (; x < end; x += 16) {
    let a0 = i16x8.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
    const blockEnd = x + 16;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      let n0 = v128.and(w0, nibbles0);
      let n1 = v128.and(w1, nibbles1);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, n0);
      a1 = dot(a1, v, n1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, n0);
      b1 = dot(b1, v, n1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, n0);
      c1 = dot(c1, v, n1);
      v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, n0);
      d1 = dot(d1, v, n1);
      n0 = upper(w0, nibbles0);
      n1 = upper(w1, nibbles1);
      v = v128.load32_splat(x, 16);
      a0 = dot(a0, v, n0);
      a1 = dot(a1, v, n1);
      v = v128.load32_splat(x + xStride, 16);
      b0 = dot(b0, v, n0);
      b1 = dot(b1, v, n1);
      v = v128.load32_splat(x + stride2, 16);
      c0 = dot(c0, v, n0);
      c1 = dot(c1, v, n1);
      v = v128.load32_splat(x + stride3, 16);
      d0 = dot(d0, v, n0);
      d1 = dot(d1, v, n1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    const minimum0 = minima<M>(w + 16, mask, half);
    const minimum1 = minima<M>(w + 24, mask, half);
    let zero = offset<M>(scales + sums, scale);
    sumA0 = addBlock<M>(sumA0, join(a0), f32x4.mul(scale0, scale), zero, minimum0);
    sumA1 = addBlock<M>(sumA1, join(a1), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + xStride);
    zero = offset<M>(scales + sums + xStride, scale);
    sumB0 = addBlock<M>(sumB0, join(b0), f32x4.mul(scale0, scale), zero, minimum0);
    sumB1 = addBlock<M>(sumB1, join(b1), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + stride2);
    zero = offset<M>(scales + sums + stride2, scale);
    sumC0 = addBlock<M>(sumC0, join(c0), f32x4.mul(scale0, scale), zero, minimum0);
    sumC1 = addBlock<M>(sumC1, join(c1), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + stride3);
    zero = offset<M>(scales + sums + stride3, scale);
    sumD0 = addBlock<M>(sumD0, join(d0), f32x4.mul(scale0, scale), zero, minimum0);
    sumD1 = addBlock<M>(sumD1, join(d1), f32x4.mul(scale1, scale), zero, minimum1);
    scales += 4;
    w += blockBytes<M>() - 128;
  }
  const outB = out + outStride;
  const outC = outB + outStride;
  const outD = outC + outStride;
  if (isPlain(bias, epilogue)) {
    v128.store(out, sumA0);
    v128.store(out, sumA1, 16);
    v128.store(outB, sumB0);
    v128.store(outB, sumB1, 16);
    v128.store(outC, sumC0);
    v128.store(outC, sumC1, 16);
    v128.store(outD, sumD0);
    v128.store(outD, sumD1, 16);
  } else {
    finish(out, sumA0, sumA1, bias, group, epilogue);
    finish(outB, sumB0, sumB1, bias, group, epilogue);
    finish(outC, sumC0, sumC1, bias, group, epilogue);
    finish(outD, sumD0, sumD1, bias, group, epilogue);
  }
}

import { multiplyAdd } from '../vector';
import { begin, step, whole } from './halves-begin';

/** Four rows by `blocks` unpacked blocks; sums wait beside their rows between blocks. */
export function fourRows(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  halves: usize,
  tile: usize,
  blocks: i32,
): void {
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  for (; blocks > 0; blocks--) {
    let a0 = begin(halves);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin(halves + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
    let c0 = begin(halves + stride2);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let d0 = begin(halves + stride3);
    let d1 = d0;
    let d2 = d0;
    let d3 = d0;
    let end = x + 16;
    for (; x < end; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      let v = v128.load32_splat(x);
      a0 = step(a0, v, w0);
      a1 = step(a1, v, w1);
      a2 = step(a2, v, w2);
      a3 = step(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = step(b0, v, w0);
      b1 = step(b1, v, w1);
      b2 = step(b2, v, w2);
      b3 = step(b3, v, w3);
      v = v128.load32_splat(x + stride2);
      c0 = step(c0, v, w0);
      c1 = step(c1, v, w1);
      c2 = step(c2, v, w2);
      c3 = step(c3, v, w3);
      v = v128.load32_splat(x + stride3);
      d0 = step(d0, v, w0);
      d1 = step(d1, v, w1);
      d2 = step(d2, v, w2);
      d3 = step(d3, v, w3);
      tile += 64;
    }
    let scale0 = v128.load(tile, 256);
    let scale1 = v128.load(tile, 272);
    let scale2 = v128.load(tile, 288);
    let scale3 = v128.load(tile, 304);
    let scale = v128.load32_splat(scales);
    const A0 = multiplyAdd(f32x4.convert_i32x4_s(whole(a0)), f32x4.mul(scale0, scale), v128.load(sums));
    const A1 = multiplyAdd(f32x4.convert_i32x4_s(whole(a1)), f32x4.mul(scale1, scale), v128.load(sums, 16));
    const A2 = multiplyAdd(f32x4.convert_i32x4_s(whole(a2)), f32x4.mul(scale2, scale), v128.load(sums, 32));
    const A3 = multiplyAdd(f32x4.convert_i32x4_s(whole(a3)), f32x4.mul(scale3, scale), v128.load(sums, 48));
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    const B0 = multiplyAdd(f32x4.convert_i32x4_s(whole(b0)), f32x4.mul(scale0, scale), v128.load(sums + xStride));
    const B1 = multiplyAdd(f32x4.convert_i32x4_s(whole(b1)), f32x4.mul(scale1, scale), v128.load(sums + xStride, 16));
    const B2 = multiplyAdd(f32x4.convert_i32x4_s(whole(b2)), f32x4.mul(scale2, scale), v128.load(sums + xStride, 32));
    const B3 = multiplyAdd(f32x4.convert_i32x4_s(whole(b3)), f32x4.mul(scale3, scale), v128.load(sums + xStride, 48));
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    scale = v128.load32_splat(scales + stride2);
    const C0 = multiplyAdd(f32x4.convert_i32x4_s(whole(c0)), f32x4.mul(scale0, scale), v128.load(sums + stride2));
    const C1 = multiplyAdd(f32x4.convert_i32x4_s(whole(c1)), f32x4.mul(scale1, scale), v128.load(sums + stride2, 16));
    const C2 = multiplyAdd(f32x4.convert_i32x4_s(whole(c2)), f32x4.mul(scale2, scale), v128.load(sums + stride2, 32));
    const C3 = multiplyAdd(f32x4.convert_i32x4_s(whole(c3)), f32x4.mul(scale3, scale), v128.load(sums + stride2, 48));
    v128.store(sums + stride2, C0);
    v128.store(sums + stride2, C1, 16);
    v128.store(sums + stride2, C2, 32);
    v128.store(sums + stride2, C3, 48);
    scale = v128.load32_splat(scales + stride3);
    const D0 = multiplyAdd(f32x4.convert_i32x4_s(whole(d0)), f32x4.mul(scale0, scale), v128.load(sums + stride3));
    const D1 = multiplyAdd(f32x4.convert_i32x4_s(whole(d1)), f32x4.mul(scale1, scale), v128.load(sums + stride3, 16));
    const D2 = multiplyAdd(f32x4.convert_i32x4_s(whole(d2)), f32x4.mul(scale2, scale), v128.load(sums + stride3, 32));
    const D3 = multiplyAdd(f32x4.convert_i32x4_s(whole(d3)), f32x4.mul(scale3, scale), v128.load(sums + stride3, 48));
    v128.store(sums + stride3, D0);
    v128.store(sums + stride3, D1, 16);
    v128.store(sums + stride3, D2, 32);
    v128.store(sums + stride3, D3, 48);
    a0 = begin(halves + 4);
    a1 = a0;
    a2 = a0;
    a3 = a0;
    b0 = begin(halves + xStride + 4);
    b1 = b0;
    b2 = b0;
    b3 = b0;
    c0 = begin(halves + stride2 + 4);
    c1 = c0;
    c2 = c0;
    c3 = c0;
    d0 = begin(halves + stride3 + 4);
    d1 = d0;
    d2 = d0;
    d3 = d0;
    end = x + 16;
    for (; x < end; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      let v = v128.load32_splat(x);
      a0 = step(a0, v, w0);
      a1 = step(a1, v, w1);
      a2 = step(a2, v, w2);
      a3 = step(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = step(b0, v, w0);
      b1 = step(b1, v, w1);
      b2 = step(b2, v, w2);
      b3 = step(b3, v, w3);
      v = v128.load32_splat(x + stride2);
      c0 = step(c0, v, w0);
      c1 = step(c1, v, w1);
      c2 = step(c2, v, w2);
      c3 = step(c3, v, w3);
      v = v128.load32_splat(x + stride3);
      d0 = step(d0, v, w0);
      d1 = step(d1, v, w1);
      d2 = step(d2, v, w2);
      d3 = step(d3, v, w3);
      tile += 64;
    }
    scale0 = v128.load(tile, 64);
    scale1 = v128.load(tile, 80);
    scale2 = v128.load(tile, 96);
    scale3 = v128.load(tile, 112);
    scale = v128.load32_splat(scales);
    const A0b = multiplyAdd(f32x4.convert_i32x4_s(whole(a0)), f32x4.mul(scale0, scale), v128.load(sums));
    const A1b = multiplyAdd(f32x4.convert_i32x4_s(whole(a1)), f32x4.mul(scale1, scale), v128.load(sums, 16));
    const A2b = multiplyAdd(f32x4.convert_i32x4_s(whole(a2)), f32x4.mul(scale2, scale), v128.load(sums, 32));
    const A3b = multiplyAdd(f32x4.convert_i32x4_s(whole(a3)), f32x4.mul(scale3, scale), v128.load(sums, 48));
    v128.store(sums, A0b);
    v128.store(sums, A1b, 16);
    v128.store(sums, A2b, 32);
    v128.store(sums, A3b, 48);
    scale = v128.load32_splat(scales + xStride);
    const B0b = multiplyAdd(f32x4.convert_i32x4_s(whole(b0)), f32x4.mul(scale0, scale), v128.load(sums + xStride));
    const B1b = multiplyAdd(f32x4.convert_i32x4_s(whole(b1)), f32x4.mul(scale1, scale), v128.load(sums + xStride, 16));
    const B2b = multiplyAdd(f32x4.convert_i32x4_s(whole(b2)), f32x4.mul(scale2, scale), v128.load(sums + xStride, 32));
    const B3b = multiplyAdd(f32x4.convert_i32x4_s(whole(b3)), f32x4.mul(scale3, scale), v128.load(sums + xStride, 48));
    v128.store(sums + xStride, B0b);
    v128.store(sums + xStride, B1b, 16);
    v128.store(sums + xStride, B2b, 32);
    v128.store(sums + xStride, B3b, 48);
    scale = v128.load32_splat(scales + stride2);
    const C0b = multiplyAdd(f32x4.convert_i32x4_s(whole(c0)), f32x4.mul(scale0, scale), v128.load(sums + stride2));
    const C1b = multiplyAdd(f32x4.convert_i32x4_s(whole(c1)), f32x4.mul(scale1, scale), v128.load(sums + stride2, 16));
    const C2b = multiplyAdd(f32x4.convert_i32x4_s(whole(c2)), f32x4.mul(scale2, scale), v128.load(sums + stride2, 32));
    const C3b = multiplyAdd(f32x4.convert_i32x4_s(whole(c3)), f32x4.mul(scale3, scale), v128.load(sums + stride2, 48));
    v128.store(sums + stride2, C0b);
    v128.store(sums + stride2, C1b, 16);
    v128.store(sums + stride2, C2b, 32);
    v128.store(sums + stride2, C3b, 48);
    scale = v128.load32_splat(scales + stride3);
    const D0b = multiplyAdd(f32x4.convert_i32x4_s(whole(d0)), f32x4.mul(scale0, scale), v128.load(sums + stride3));
    const D1b = multiplyAdd(f32x4.convert_i32x4_s(whole(d1)), f32x4.mul(scale1, scale), v128.load(sums + stride3, 16));
    const D2b = multiplyAdd(f32x4.convert_i32x4_s(whole(d2)), f32x4.mul(scale2, scale), v128.load(sums + stride3, 32));
    const D3b = multiplyAdd(f32x4.convert_i32x4_s(whole(d3)), f32x4.mul(scale3, scale), v128.load(sums + stride3, 48));
    v128.store(sums + stride3, D0b);
    v128.store(sums + stride3, D1b, 16);
    v128.store(sums + stride3, D2b, 32);
    v128.store(sums + stride3, D3b, 48);
    tile += 128;
    scales += 4;
    halves += 8;
  }
}

import { multiplyAdd } from '../vector';
import { begin, step, whole } from './halves-begin';

/** Two rows by `blocks` unpacked blocks; sums wait beside their rows between blocks. */
export function twoRows(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  halves: usize,
  tile: usize,
  blocks: i32,
): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin(halves);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin(halves + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
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
    a0 = begin(halves + 4);
    a1 = a0;
    a2 = a0;
    a3 = a0;
    b0 = begin(halves + xStride + 4);
    b1 = b0;
    b2 = b0;
    b3 = b0;
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
    tile += 128;
    scales += 4;
    halves += 8;
  }
}

/** One row by `blocks` unpacked blocks; sums wait beside their rows between blocks. */
export function oneRow(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  halves: usize,
  tile: usize,
  blocks: i32,
): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin(halves);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let end = x + 16;
    for (; x < end; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      const v = v128.load32_splat(x);
      a0 = step(a0, v, w0);
      a1 = step(a1, v, w1);
      a2 = step(a2, v, w2);
      a3 = step(a3, v, w3);
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
    a0 = begin(halves + 4);
    a1 = a0;
    a2 = a0;
    a3 = a0;
    end = x + 16;
    for (; x < end; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      const v = v128.load32_splat(x);
      a0 = step(a0, v, w0);
      a1 = step(a1, v, w1);
      a2 = step(a2, v, w2);
      a3 = step(a3, v, w3);
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
    tile += 128;
    scales += 4;
    halves += 8;
  }
}

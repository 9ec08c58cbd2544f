import { dot } from '../matmul/dot';
import { Wide } from '../quant-tags';
import { add, minimum, perMinimum } from './tile-sums';

// Weights of five bits where a dot sums to 16 bits: 8 products of at most 31 · 127 fit, which are four steps of four columns.
// Four rows would want more registers than there are.

/** Two rows by `blocks` unpacked blocks of five bits: as in tile-1-2-rows.ts, with 16-bit sums of four steps. */
export function twoWideRows(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  offsets: usize,
  tile: usize,
  blocks: i32,
): void {
  for (; blocks > 0; blocks--) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    const end = x + 32;
    while (x < end) {
      let aa0 = i16x8.splat(0);
      let aa1 = aa0;
      let aa2 = aa0;
      let aa3 = aa0;
      let bb0 = aa0;
      let bb1 = aa0;
      let bb2 = aa0;
      let bb3 = aa0;
      for (const half = x + 16; x < half; x += 4) {
        const w0 = v128.load(tile);
        const w1 = v128.load(tile, 16);
        const w2 = v128.load(tile, 32);
        const w3 = v128.load(tile, 48);
        let v = v128.load32_splat(x);
        aa0 = dot(aa0, v, w0);
        aa1 = dot(aa1, v, w1);
        aa2 = dot(aa2, v, w2);
        aa3 = dot(aa3, v, w3);
        v = v128.load32_splat(x + xStride);
        bb0 = dot(bb0, v, w0);
        bb1 = dot(bb1, v, w1);
        bb2 = dot(bb2, v, w2);
        bb3 = dot(bb3, v, w3);
        tile += 64;
      }
      a0 = i32x4.add(a0, i32x4.extadd_pairwise_i16x8_s(aa0));
      a1 = i32x4.add(a1, i32x4.extadd_pairwise_i16x8_s(aa1));
      a2 = i32x4.add(a2, i32x4.extadd_pairwise_i16x8_s(aa2));
      a3 = i32x4.add(a3, i32x4.extadd_pairwise_i16x8_s(aa3));
      b0 = i32x4.add(b0, i32x4.extadd_pairwise_i16x8_s(bb0));
      b1 = i32x4.add(b1, i32x4.extadd_pairwise_i16x8_s(bb1));
      b2 = i32x4.add(b2, i32x4.extadd_pairwise_i16x8_s(bb2));
      b3 = i32x4.add(b3, i32x4.extadd_pairwise_i16x8_s(bb3));
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<Wide>(tile, scale0);
    const minimum1 = minimum<Wide>(tile + 16, scale1);
    const minimum2 = minimum<Wide>(tile + 32, scale2);
    const minimum3 = minimum<Wide>(tile + 48, scale3);
    let scale = v128.load32_splat(scales);
    let offset = perMinimum<Wide>(offsets, scale);
    const A0 = add<Wide>(v128.load(sums), a0, f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<Wide>(v128.load(sums, 16), a1, f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<Wide>(v128.load(sums, 32), a2, f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<Wide>(v128.load(sums, 48), a3, f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    offset = perMinimum<Wide>(offsets + xStride, scale);
    const B0 = add<Wide>(v128.load(sums + xStride), b0, f32x4.mul(scale0, scale), offset, minimum0);
    const B1 = add<Wide>(v128.load(sums + xStride, 16), b1, f32x4.mul(scale1, scale), offset, minimum1);
    const B2 = add<Wide>(v128.load(sums + xStride, 32), b2, f32x4.mul(scale2, scale), offset, minimum2);
    const B3 = add<Wide>(v128.load(sums + xStride, 48), b3, f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    tile += 128;
    scales += 4;
    offsets += 4;
  }
}

/** One row by `blocks` unpacked blocks of five bits: as in tile-1-2-rows.ts, with 16-bit sums of four steps. */
export function oneWideRow(sums: usize, x: usize, scales: usize, offsets: usize, tile: usize, blocks: i32): void {
  for (; blocks > 0; blocks--) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    const end = x + 32;
    while (x < end) {
      let aa0 = i16x8.splat(0);
      let aa1 = aa0;
      let aa2 = aa0;
      let aa3 = aa0;
      for (const half = x + 16; x < half; x += 4) {
        const w0 = v128.load(tile);
        const w1 = v128.load(tile, 16);
        const w2 = v128.load(tile, 32);
        const w3 = v128.load(tile, 48);
        const v = v128.load32_splat(x);
        aa0 = dot(aa0, v, w0);
        aa1 = dot(aa1, v, w1);
        aa2 = dot(aa2, v, w2);
        aa3 = dot(aa3, v, w3);
        tile += 64;
      }
      a0 = i32x4.add(a0, i32x4.extadd_pairwise_i16x8_s(aa0));
      a1 = i32x4.add(a1, i32x4.extadd_pairwise_i16x8_s(aa1));
      a2 = i32x4.add(a2, i32x4.extadd_pairwise_i16x8_s(aa2));
      a3 = i32x4.add(a3, i32x4.extadd_pairwise_i16x8_s(aa3));
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<Wide>(tile, scale0);
    const minimum1 = minimum<Wide>(tile + 16, scale1);
    const minimum2 = minimum<Wide>(tile + 32, scale2);
    const minimum3 = minimum<Wide>(tile + 48, scale3);
    const scale = v128.load32_splat(scales);
    const offset = perMinimum<Wide>(offsets, scale);
    const A0 = add<Wide>(v128.load(sums), a0, f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<Wide>(v128.load(sums, 16), a1, f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<Wide>(v128.load(sums, 32), a2, f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<Wide>(v128.load(sums, 48), a3, f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    tile += 128;
    scales += 4;
    offsets += 4;
  }
}

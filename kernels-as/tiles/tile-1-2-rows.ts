import { dotOf, joinOf } from '../matmul/dot';
import { add, begin, minimum, perMinimum } from './tile-sums';

/** As `fourRows` of tile-4-rows.ts, for two rows, which is all that registers of 128 bits hold. */
export function twoRows<Q>(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  offsets: usize,
  tile: usize,
  blocks: i32,
): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin<Q>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin<Q>(offsets + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      let v = v128.load32_splat(x);
      a0 = dotOf<Q>(a0, v, w0);
      a1 = dotOf<Q>(a1, v, w1);
      a2 = dotOf<Q>(a2, v, w2);
      a3 = dotOf<Q>(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = dotOf<Q>(b0, v, w0);
      b1 = dotOf<Q>(b1, v, w1);
      b2 = dotOf<Q>(b2, v, w2);
      b3 = dotOf<Q>(b3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<Q>(tile, scale0);
    const minimum1 = minimum<Q>(tile + 16, scale1);
    const minimum2 = minimum<Q>(tile + 32, scale2);
    const minimum3 = minimum<Q>(tile + 48, scale3);
    let scale = v128.load32_splat(scales);
    let offset = perMinimum<Q>(offsets, scale);
    const A0 = add<Q>(v128.load(sums), joinOf<Q>(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<Q>(v128.load(sums, 16), joinOf<Q>(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<Q>(v128.load(sums, 32), joinOf<Q>(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<Q>(v128.load(sums, 48), joinOf<Q>(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    offset = perMinimum<Q>(offsets + xStride, scale);
    const B0 = add<Q>(v128.load(sums + xStride), joinOf<Q>(b0), f32x4.mul(scale0, scale), offset, minimum0);
    const B1 = add<Q>(v128.load(sums + xStride, 16), joinOf<Q>(b1), f32x4.mul(scale1, scale), offset, minimum1);
    const B2 = add<Q>(v128.load(sums + xStride, 32), joinOf<Q>(b2), f32x4.mul(scale2, scale), offset, minimum2);
    const B3 = add<Q>(v128.load(sums + xStride, 48), joinOf<Q>(b3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    tile += isFloat<Q>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

/** As `fourRows` of tile-4-rows.ts, for one row. */
export function oneRow<Q>(sums: usize, x: usize, scales: usize, offsets: usize, tile: usize, blocks: i32): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin<Q>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      const v = v128.load32_splat(x);
      a0 = dotOf<Q>(a0, v, w0);
      a1 = dotOf<Q>(a1, v, w1);
      a2 = dotOf<Q>(a2, v, w2);
      a3 = dotOf<Q>(a3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<Q>(tile, scale0);
    const minimum1 = minimum<Q>(tile + 16, scale1);
    const minimum2 = minimum<Q>(tile + 32, scale2);
    const minimum3 = minimum<Q>(tile + 48, scale3);
    const scale = v128.load32_splat(scales);
    const offset = perMinimum<Q>(offsets, scale);
    const A0 = add<Q>(v128.load(sums), joinOf<Q>(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<Q>(v128.load(sums, 16), joinOf<Q>(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<Q>(v128.load(sums, 32), joinOf<Q>(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<Q>(v128.load(sums, 48), joinOf<Q>(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    tile += isFloat<Q>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

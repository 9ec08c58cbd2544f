import { dotOf, joinOf } from '../matmul/dot';
import { add, begin, minimum, perMinimum } from './tile-sums';

/** As `fourRows` of tile-4-rows.ts, for six rows, whose twelve sums take every register of 256 bits; only VNNI needs none besides. */
export function sixRows<Q>(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  offsets: usize,
  tile: usize,
  blocks: i32,
): void {
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  const stride4 = xStride << 2;
  const stride5 = xStride + stride4;
  for (; blocks > 0; blocks--) {
    let a0 = begin<Q>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin<Q>(offsets + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
    let c0 = begin<Q>(offsets + stride2);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let d0 = begin<Q>(offsets + stride3);
    let d1 = d0;
    let d2 = d0;
    let d3 = d0;
    let e0 = begin<Q>(offsets + stride4);
    let e1 = e0;
    let e2 = e0;
    let e3 = e0;
    let f0 = begin<Q>(offsets + stride5);
    let f1 = f0;
    let f2 = f0;
    let f3 = f0;
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
      v = v128.load32_splat(x + stride2);
      c0 = dotOf<Q>(c0, v, w0);
      c1 = dotOf<Q>(c1, v, w1);
      c2 = dotOf<Q>(c2, v, w2);
      c3 = dotOf<Q>(c3, v, w3);
      v = v128.load32_splat(x + stride3);
      d0 = dotOf<Q>(d0, v, w0);
      d1 = dotOf<Q>(d1, v, w1);
      d2 = dotOf<Q>(d2, v, w2);
      d3 = dotOf<Q>(d3, v, w3);
      v = v128.load32_splat(x + stride4);
      e0 = dotOf<Q>(e0, v, w0);
      e1 = dotOf<Q>(e1, v, w1);
      e2 = dotOf<Q>(e2, v, w2);
      e3 = dotOf<Q>(e3, v, w3);
      v = v128.load32_splat(x + stride5);
      f0 = dotOf<Q>(f0, v, w0);
      f1 = dotOf<Q>(f1, v, w1);
      f2 = dotOf<Q>(f2, v, w2);
      f3 = dotOf<Q>(f3, v, w3);
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
    scale = v128.load32_splat(scales + stride2);
    offset = perMinimum<Q>(offsets + stride2, scale);
    const C0 = add<Q>(v128.load(sums + stride2), joinOf<Q>(c0), f32x4.mul(scale0, scale), offset, minimum0);
    const C1 = add<Q>(v128.load(sums + stride2, 16), joinOf<Q>(c1), f32x4.mul(scale1, scale), offset, minimum1);
    const C2 = add<Q>(v128.load(sums + stride2, 32), joinOf<Q>(c2), f32x4.mul(scale2, scale), offset, minimum2);
    const C3 = add<Q>(v128.load(sums + stride2, 48), joinOf<Q>(c3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride2, C0);
    v128.store(sums + stride2, C1, 16);
    v128.store(sums + stride2, C2, 32);
    v128.store(sums + stride2, C3, 48);
    scale = v128.load32_splat(scales + stride3);
    offset = perMinimum<Q>(offsets + stride3, scale);
    const D0 = add<Q>(v128.load(sums + stride3), joinOf<Q>(d0), f32x4.mul(scale0, scale), offset, minimum0);
    const D1 = add<Q>(v128.load(sums + stride3, 16), joinOf<Q>(d1), f32x4.mul(scale1, scale), offset, minimum1);
    const D2 = add<Q>(v128.load(sums + stride3, 32), joinOf<Q>(d2), f32x4.mul(scale2, scale), offset, minimum2);
    const D3 = add<Q>(v128.load(sums + stride3, 48), joinOf<Q>(d3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride3, D0);
    v128.store(sums + stride3, D1, 16);
    v128.store(sums + stride3, D2, 32);
    v128.store(sums + stride3, D3, 48);
    scale = v128.load32_splat(scales + stride4);
    offset = perMinimum<Q>(offsets + stride4, scale);
    const E0 = add<Q>(v128.load(sums + stride4), joinOf<Q>(e0), f32x4.mul(scale0, scale), offset, minimum0);
    const E1 = add<Q>(v128.load(sums + stride4, 16), joinOf<Q>(e1), f32x4.mul(scale1, scale), offset, minimum1);
    const E2 = add<Q>(v128.load(sums + stride4, 32), joinOf<Q>(e2), f32x4.mul(scale2, scale), offset, minimum2);
    const E3 = add<Q>(v128.load(sums + stride4, 48), joinOf<Q>(e3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride4, E0);
    v128.store(sums + stride4, E1, 16);
    v128.store(sums + stride4, E2, 32);
    v128.store(sums + stride4, E3, 48);
    scale = v128.load32_splat(scales + stride5);
    offset = perMinimum<Q>(offsets + stride5, scale);
    const F0 = add<Q>(v128.load(sums + stride5), joinOf<Q>(f0), f32x4.mul(scale0, scale), offset, minimum0);
    const F1 = add<Q>(v128.load(sums + stride5, 16), joinOf<Q>(f1), f32x4.mul(scale1, scale), offset, minimum1);
    const F2 = add<Q>(v128.load(sums + stride5, 32), joinOf<Q>(f2), f32x4.mul(scale2, scale), offset, minimum2);
    const F3 = add<Q>(v128.load(sums + stride5, 48), joinOf<Q>(f3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride5, F0);
    v128.store(sums + stride5, F1, 16);
    v128.store(sums + stride5, F2, 32);
    v128.store(sums + stride5, F3, 48);
    tile += isFloat<Q>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

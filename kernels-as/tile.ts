// Many rows by integer weights: two groups are unpacked into the first cache, some columns at a time, and met there by
// six or four rows after the other, or two where vectors are narrow. M says what weights mean: i32, nibbles that count from a
// zero point of 8 (q4); f32, nibbles from the block's own minimum (q4m); i8, whole bytes (q8, only with VNNI).

import { FLIP, HALF_BIAS, HALF_MASK, LOW_WORDS, MINIMUM_BIAS, NIBBLES } from './constants';
import { dot, join } from './dot';
import { clearRoom, finishRooms, roomOffset } from './epilogue';
import { blockBytes } from './nibble-block';
import { loadHalves, multiplyAdd, upper } from './vector';

/** Blocks of 32 columns that rows pass over together: with four rows of activations they fit the first cache. */
const TILE_BLOCKS: i32 = 32;

/** Bytes of a packed block of one group. */
function packedBytes<M>(): usize {
  return sizeof<M>() == 1 ? 272 : blockBytes<M>();
}

/** Bytes of an unpacked block of two groups: a byte a weight, then f32 scales, then minima where there are some. */
function unpackedBytes<M>(): usize {
  return isFloat<M>() ? 640 : 576;
}

/**
 * Unpacks `blocks` blocks of the group at `w` to every other 32 bytes from `to` on: four columns of eight rows each, as
 * numbers of 0…255, columns in order; then scales, then minima.
 */
function unpack<M>(to: usize, w: usize, blocks: i32): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const pattern0 = v128.load(sizeof<M>() == 1 ? FLIP : NIBBLES);
  const pattern1 = v128.load(sizeof<M>() == 1 ? FLIP : NIBBLES, 16);
  for (; blocks > 0; blocks--) {
    if (sizeof<M>() == 1) {
      for (const end = w + 256; w < end; w += 32) {
        const w0 = v128.xor(v128.load(w), pattern0);
        const w1 = v128.xor(v128.load(w, 16), pattern1);
        v128.store(to, w0);
        v128.store(to, w1, 16);
        to += 64;
      }
    } else {
      for (const end = w + 128; w < end; w += 32) {
        const w0 = v128.load(w);
        const w1 = v128.load(w, 16);
        const low0 = v128.and(w0, pattern0);
        const low1 = v128.and(w1, pattern1);
        const high0 = upper(w0, pattern0);
        const high1 = upper(w1, pattern1);
        v128.store(to, low0);
        v128.store(to, low1, 16);
        v128.store(to, high0, 256);
        v128.store(to, high1, 272);
        to += 64;
      }
      to += 256;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    v128.store(to, scale0);
    v128.store(to, scale1, 16);
    w += 16;
    to += 64;
    if (isFloat<M>()) {
      const minimum0 = loadHalves(w, mask, minus);
      const minimum1 = loadHalves(w + 8, mask, minus);
      v128.store(to, minimum0);
      v128.store(to, minimum1, 16);
      w += 16;
      to += 64;
    }
  }
}

/**
 * What a block's integers start from, so that its zero point is gone at the end: −8 or −128 times the sum of activations.
 * With sums of 16 bits, two for each row, one of them takes it all: 16 · 8 · 127 of its own and as much of the other's
 * are within ±32,512 in the end, and what overflows on the way comes back.
 */
function begin<M>(offsets: usize): v128 {
  if (isFloat<M>()) return i32x4.splat(0);
  const offset = v128.load32_splat(offsets);
  if (sizeof<M>() == 1) return i32x4.shl(offset, 4);
  if (VNNI) return offset;
  return v128.and(offset, v128.load(LOW_WORDS));
}

/** What a block's minima are multiplied with. */
function perMinimum<M>(offsets: usize, scale: v128): v128 {
  if (isFloat<M>()) return f32x4.mul(f32x4.convert_i32x4_s(v128.load32_splat(offsets)), scale);
  return scale;
}

/** Four minima; anything without them. */
function minimum<M>(tile: usize, scale: v128): v128 {
  return isFloat<M>() ? v128.load(tile, 64) : scale;
}

/** sum + a block's integers times its scale, and its minimum. */
function add<M>(sum: v128, integers: v128, scale: v128, offset: v128, least: v128): v128 {
  const whole = multiplyAdd(f32x4.convert_i32x4_s(integers), scale, sum);
  return isFloat<M>() ? multiplyAdd(least, offset, whole) : whole;
}

/** Four rows by `blocks` unpacked blocks; sums wait in the rows' rooms between blocks, registers hold the integers. */
function fourRows<M>(
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
  for (; blocks > 0; blocks--) {
    let a0 = begin<M>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin<M>(offsets + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
    let c0 = begin<M>(offsets + stride2);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let d0 = begin<M>(offsets + stride3);
    let d1 = d0;
    let d2 = d0;
    let d3 = d0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(tile);
      const w1 = v128.load(tile, 16);
      const w2 = v128.load(tile, 32);
      const w3 = v128.load(tile, 48);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      a2 = dot(a2, v, w2);
      a3 = dot(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      b2 = dot(b2, v, w2);
      b3 = dot(b3, v, w3);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      c2 = dot(c2, v, w2);
      c3 = dot(c3, v, w3);
      v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, w0);
      d1 = dot(d1, v, w1);
      d2 = dot(d2, v, w2);
      d3 = dot(d3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<M>(tile, scale0);
    const minimum1 = minimum<M>(tile + 16, scale1);
    const minimum2 = minimum<M>(tile + 32, scale2);
    const minimum3 = minimum<M>(tile + 48, scale3);
    let scale = v128.load32_splat(scales);
    let offset = perMinimum<M>(offsets, scale);
    const A0 = add<M>(v128.load(sums), join(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<M>(v128.load(sums, 16), join(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<M>(v128.load(sums, 32), join(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<M>(v128.load(sums, 48), join(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    offset = perMinimum<M>(offsets + xStride, scale);
    const B0 = add<M>(v128.load(sums + xStride), join(b0), f32x4.mul(scale0, scale), offset, minimum0);
    const B1 = add<M>(v128.load(sums + xStride, 16), join(b1), f32x4.mul(scale1, scale), offset, minimum1);
    const B2 = add<M>(v128.load(sums + xStride, 32), join(b2), f32x4.mul(scale2, scale), offset, minimum2);
    const B3 = add<M>(v128.load(sums + xStride, 48), join(b3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    scale = v128.load32_splat(scales + stride2);
    offset = perMinimum<M>(offsets + stride2, scale);
    const C0 = add<M>(v128.load(sums + stride2), join(c0), f32x4.mul(scale0, scale), offset, minimum0);
    const C1 = add<M>(v128.load(sums + stride2, 16), join(c1), f32x4.mul(scale1, scale), offset, minimum1);
    const C2 = add<M>(v128.load(sums + stride2, 32), join(c2), f32x4.mul(scale2, scale), offset, minimum2);
    const C3 = add<M>(v128.load(sums + stride2, 48), join(c3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride2, C0);
    v128.store(sums + stride2, C1, 16);
    v128.store(sums + stride2, C2, 32);
    v128.store(sums + stride2, C3, 48);
    scale = v128.load32_splat(scales + stride3);
    offset = perMinimum<M>(offsets + stride3, scale);
    const D0 = add<M>(v128.load(sums + stride3), join(d0), f32x4.mul(scale0, scale), offset, minimum0);
    const D1 = add<M>(v128.load(sums + stride3, 16), join(d1), f32x4.mul(scale1, scale), offset, minimum1);
    const D2 = add<M>(v128.load(sums + stride3, 32), join(d2), f32x4.mul(scale2, scale), offset, minimum2);
    const D3 = add<M>(v128.load(sums + stride3, 48), join(d3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride3, D0);
    v128.store(sums + stride3, D1, 16);
    v128.store(sums + stride3, D2, 32);
    v128.store(sums + stride3, D3, 48);
    tile += isFloat<M>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

/** The same for six rows, whose twelve sums take every register of 256 bits; only VNNI needs none besides. */
function sixRows<M>(
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
    let a0 = begin<M>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin<M>(offsets + xStride);
    let b1 = b0;
    let b2 = b0;
    let b3 = b0;
    let c0 = begin<M>(offsets + stride2);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let d0 = begin<M>(offsets + stride3);
    let d1 = d0;
    let d2 = d0;
    let d3 = d0;
    let e0 = begin<M>(offsets + stride4);
    let e1 = e0;
    let e2 = e0;
    let e3 = e0;
    let f0 = begin<M>(offsets + stride5);
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
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      a2 = dot(a2, v, w2);
      a3 = dot(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      b2 = dot(b2, v, w2);
      b3 = dot(b3, v, w3);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      c2 = dot(c2, v, w2);
      c3 = dot(c3, v, w3);
      v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, w0);
      d1 = dot(d1, v, w1);
      d2 = dot(d2, v, w2);
      d3 = dot(d3, v, w3);
      v = v128.load32_splat(x + stride4);
      e0 = dot(e0, v, w0);
      e1 = dot(e1, v, w1);
      e2 = dot(e2, v, w2);
      e3 = dot(e3, v, w3);
      v = v128.load32_splat(x + stride5);
      f0 = dot(f0, v, w0);
      f1 = dot(f1, v, w1);
      f2 = dot(f2, v, w2);
      f3 = dot(f3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<M>(tile, scale0);
    const minimum1 = minimum<M>(tile + 16, scale1);
    const minimum2 = minimum<M>(tile + 32, scale2);
    const minimum3 = minimum<M>(tile + 48, scale3);
    let scale = v128.load32_splat(scales);
    let offset = perMinimum<M>(offsets, scale);
    const A0 = add<M>(v128.load(sums), join(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<M>(v128.load(sums, 16), join(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<M>(v128.load(sums, 32), join(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<M>(v128.load(sums, 48), join(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    offset = perMinimum<M>(offsets + xStride, scale);
    const B0 = add<M>(v128.load(sums + xStride), join(b0), f32x4.mul(scale0, scale), offset, minimum0);
    const B1 = add<M>(v128.load(sums + xStride, 16), join(b1), f32x4.mul(scale1, scale), offset, minimum1);
    const B2 = add<M>(v128.load(sums + xStride, 32), join(b2), f32x4.mul(scale2, scale), offset, minimum2);
    const B3 = add<M>(v128.load(sums + xStride, 48), join(b3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    scale = v128.load32_splat(scales + stride2);
    offset = perMinimum<M>(offsets + stride2, scale);
    const C0 = add<M>(v128.load(sums + stride2), join(c0), f32x4.mul(scale0, scale), offset, minimum0);
    const C1 = add<M>(v128.load(sums + stride2, 16), join(c1), f32x4.mul(scale1, scale), offset, minimum1);
    const C2 = add<M>(v128.load(sums + stride2, 32), join(c2), f32x4.mul(scale2, scale), offset, minimum2);
    const C3 = add<M>(v128.load(sums + stride2, 48), join(c3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride2, C0);
    v128.store(sums + stride2, C1, 16);
    v128.store(sums + stride2, C2, 32);
    v128.store(sums + stride2, C3, 48);
    scale = v128.load32_splat(scales + stride3);
    offset = perMinimum<M>(offsets + stride3, scale);
    const D0 = add<M>(v128.load(sums + stride3), join(d0), f32x4.mul(scale0, scale), offset, minimum0);
    const D1 = add<M>(v128.load(sums + stride3, 16), join(d1), f32x4.mul(scale1, scale), offset, minimum1);
    const D2 = add<M>(v128.load(sums + stride3, 32), join(d2), f32x4.mul(scale2, scale), offset, minimum2);
    const D3 = add<M>(v128.load(sums + stride3, 48), join(d3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride3, D0);
    v128.store(sums + stride3, D1, 16);
    v128.store(sums + stride3, D2, 32);
    v128.store(sums + stride3, D3, 48);
    scale = v128.load32_splat(scales + stride4);
    offset = perMinimum<M>(offsets + stride4, scale);
    const E0 = add<M>(v128.load(sums + stride4), join(e0), f32x4.mul(scale0, scale), offset, minimum0);
    const E1 = add<M>(v128.load(sums + stride4, 16), join(e1), f32x4.mul(scale1, scale), offset, minimum1);
    const E2 = add<M>(v128.load(sums + stride4, 32), join(e2), f32x4.mul(scale2, scale), offset, minimum2);
    const E3 = add<M>(v128.load(sums + stride4, 48), join(e3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride4, E0);
    v128.store(sums + stride4, E1, 16);
    v128.store(sums + stride4, E2, 32);
    v128.store(sums + stride4, E3, 48);
    scale = v128.load32_splat(scales + stride5);
    offset = perMinimum<M>(offsets + stride5, scale);
    const F0 = add<M>(v128.load(sums + stride5), join(f0), f32x4.mul(scale0, scale), offset, minimum0);
    const F1 = add<M>(v128.load(sums + stride5, 16), join(f1), f32x4.mul(scale1, scale), offset, minimum1);
    const F2 = add<M>(v128.load(sums + stride5, 32), join(f2), f32x4.mul(scale2, scale), offset, minimum2);
    const F3 = add<M>(v128.load(sums + stride5, 48), join(f3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + stride5, F0);
    v128.store(sums + stride5, F1, 16);
    v128.store(sums + stride5, F2, 32);
    v128.store(sums + stride5, F3, 48);
    tile += isFloat<M>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

/** The same for two rows, which is all that registers of 128 bits hold. */
function twoRows<M>(
  sums: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  offsets: usize,
  tile: usize,
  blocks: i32,
): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin<M>(offsets);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = begin<M>(offsets + xStride);
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
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      a2 = dot(a2, v, w2);
      a3 = dot(a3, v, w3);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      b2 = dot(b2, v, w2);
      b3 = dot(b3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<M>(tile, scale0);
    const minimum1 = minimum<M>(tile + 16, scale1);
    const minimum2 = minimum<M>(tile + 32, scale2);
    const minimum3 = minimum<M>(tile + 48, scale3);
    let scale = v128.load32_splat(scales);
    let offset = perMinimum<M>(offsets, scale);
    const A0 = add<M>(v128.load(sums), join(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<M>(v128.load(sums, 16), join(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<M>(v128.load(sums, 32), join(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<M>(v128.load(sums, 48), join(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    scale = v128.load32_splat(scales + xStride);
    offset = perMinimum<M>(offsets + xStride, scale);
    const B0 = add<M>(v128.load(sums + xStride), join(b0), f32x4.mul(scale0, scale), offset, minimum0);
    const B1 = add<M>(v128.load(sums + xStride, 16), join(b1), f32x4.mul(scale1, scale), offset, minimum1);
    const B2 = add<M>(v128.load(sums + xStride, 32), join(b2), f32x4.mul(scale2, scale), offset, minimum2);
    const B3 = add<M>(v128.load(sums + xStride, 48), join(b3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums + xStride, B0);
    v128.store(sums + xStride, B1, 16);
    v128.store(sums + xStride, B2, 32);
    v128.store(sums + xStride, B3, 48);
    tile += isFloat<M>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

/** The same for one row. */
function oneRow<M>(sums: usize, x: usize, scales: usize, offsets: usize, tile: usize, blocks: i32): void {
  for (; blocks > 0; blocks--) {
    let a0 = begin<M>(offsets);
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
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      a2 = dot(a2, v, w2);
      a3 = dot(a3, v, w3);
      tile += 64;
    }
    const scale0 = v128.load(tile);
    const scale1 = v128.load(tile, 16);
    const scale2 = v128.load(tile, 32);
    const scale3 = v128.load(tile, 48);
    const minimum0 = minimum<M>(tile, scale0);
    const minimum1 = minimum<M>(tile + 16, scale1);
    const minimum2 = minimum<M>(tile + 32, scale2);
    const minimum3 = minimum<M>(tile + 48, scale3);
    const scale = v128.load32_splat(scales);
    const offset = perMinimum<M>(offsets, scale);
    const A0 = add<M>(v128.load(sums), join(a0), f32x4.mul(scale0, scale), offset, minimum0);
    const A1 = add<M>(v128.load(sums, 16), join(a1), f32x4.mul(scale1, scale), offset, minimum1);
    const A2 = add<M>(v128.load(sums, 32), join(a2), f32x4.mul(scale2, scale), offset, minimum2);
    const A3 = add<M>(v128.load(sums, 48), join(a3), f32x4.mul(scale3, scale), offset, minimum3);
    v128.store(sums, A0);
    v128.store(sums, A1, 16);
    v128.store(sums, A2, 32);
    v128.store(sums, A3, 48);
    tile += isFloat<M>() ? 128 : 64;
    scales += 4;
    offsets += 4;
  }
}

/** Results of groups `group` and the next one for all rows, each with the bits that it gets alone. */
export function multiplyTile<M>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  w: usize,
  columns: i32,
  rows: i32,
  group: i32,
  bias: usize,
  epilogue: i32,
  scratch: usize,
): void {
  const blocks = columns >> 5;
  const offsets = <usize>columns >> 3;
  const rooms = x + roomOffset(columns);
  // One group after the other, as the CPU's own prefetching wants it.
  unpack<M>(scratch, w, blocks);
  unpack<M>(scratch + 32, w + <usize>blocks * packedBytes<M>(), blocks);
  for (let row = 0; row < rows; row++) clearRoom(rooms + <usize>row * xStride);
  for (let block = 0; block < blocks; block += TILE_BLOCKS) {
    const count = min(TILE_BLOCKS, blocks - block);
    const part = scratch + <usize>block * unpackedBytes<M>();
    let at = x + ((<usize>block) << 5);
    let sums = rooms;
    let scales = x + <usize>columns + ((<usize>block) << 2);
    let left = rows;
    for (; VNNI && left >= 6; left -= 6) {
      sixRows<M>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride * 6;
      sums += xStride * 6;
      scales += xStride * 6;
    }
    for (; !NARROW && left >= 4; left -= 4) {
      fourRows<M>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride << 2;
      sums += xStride << 2;
      scales += xStride << 2;
    }
    for (; left >= 2; left -= 2) {
      twoRows<M>(sums, at, xStride, scales, scales + offsets, part, count);
      at += xStride << 1;
      sums += xStride << 1;
      scales += xStride << 1;
    }
    if (left) oneRow<M>(sums, at, scales, scales + offsets, part, count);
  }
  finishRooms(out, outStride, rooms, xStride, rows, bias, group, epilogue);
}

import { BIT_4, HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { loadHalves, upper } from '../vector';

// Blocks of q5 and q5m: 128 bytes of nibbles, 32 of fifth bits, eight f16 scales, and with a minimum eight f16 minima.

/** Bytes of a block of q5, and of q5m. */
export const Q5_BYTES: usize = 176;
export const Q5M_BYTES: usize = 192;

/**
 * 32 columns of eight rows at `w` → bytes of 0…31 in every other 32 bytes from `to` on, as tile.ts wants them. The fifth
 * bit of the byte of step k, of eight steps of four columns, is bit k of its byte in `fifth`.
 */
export function unpackFiveBits(to: usize, w: usize, fifth: usize): void {
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const bit0 = v128.load(BIT_4);
  const bit1 = v128.load(BIT_4, 16);
  // What is shifted left by one more each step, from 4 down to 1, is doubled from the other end.
  let low0 = v128.load(fifth);
  let low1 = v128.load(fifth, 16);
  let high0 = low0;
  let high1 = low1;
  low0 = i16x8.shl(low0, 4);
  low1 = i16x8.shl(low1, 4);
  for (const end = w + 128; w < end; w += 32) {
    const w0 = v128.load(w);
    const w1 = v128.load(w, 16);
    const a0 = v128.or(v128.and(w0, nibbles0), v128.and(low0, bit0));
    const a1 = v128.or(v128.and(w1, nibbles1), v128.and(low1, bit1));
    const b0 = v128.or(upper(w0, nibbles0), v128.and(high0, bit0));
    const b1 = v128.or(upper(w1, nibbles1), v128.and(high1, bit1));
    v128.store(to, a0);
    v128.store(to, a1, 16);
    v128.store(to, b0, 256);
    v128.store(to, b1, 272);
    low0 = i16x8.shr_u(low0, 1);
    low1 = i16x8.shr_u(low1, 1);
    high0 = i16x8.shr_u(high0, 1);
    high1 = i16x8.shr_u(high1, 1);
    to += 64;
  }
}

/** Unpacks `columns` columns of the q5 or q5m (`hasMinima`) group at `w` to every other 32 bytes from `to` on (tile-unpack.ts). */
export function unpackQ5(to: usize, w: usize, columns: i32, hasMinima: bool): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const bytes = hasMinima ? Q5M_BYTES : Q5_BYTES;
  for (let blocks = columns >> 5; blocks > 0; blocks--) {
    unpackFiveBits(to, w, w + 128);
    to += 512;
    const scale0 = loadHalves(w + 160, mask, half);
    const scale1 = loadHalves(w + 168, mask, half);
    v128.store(to, scale0);
    v128.store(to, scale1, 16);
    if (hasMinima) {
      const minimum0 = loadHalves(w + 176, mask, minus);
      const minimum1 = loadHalves(w + 184, mask, minus);
      v128.store(to, minimum0, 64);
      v128.store(to, minimum1, 80);
    } else {
      // The zero point of 16 as a minimum of −16 scales, by −1/8.
      v128.store(to, f32x4.add(scale0, scale0), 64);
      v128.store(to, f32x4.add(scale1, scale1), 80);
    }
    to += 128;
    w += bytes;
  }
}

import { BITS_4_5, HALF_BIAS, HALF_MASK, NIBBLES } from '../constants';
import { loadHalves, upper } from '../vector';

// Super-blocks of q6k, eight rows by 256 columns: eight f16 d, then four times two blocks of 32 columns under one word
// of each row, whose bytes are the int8 scales of the four halves of 16 columns. A block has 128 bytes of nibbles and
// twice 32 of the two upper bits. A half's scale is d · scale, exact in float32; 32 is the zero point.

/** Bytes of a super-block, of what lies before its pairs of blocks, of a pair, and of a block within. */
export const Q6K_BYTES: usize = 1680;
export const PAIRS: usize = 16;
export const PAIR_BYTES: usize = 416;
export const BLOCK_BYTES: usize = 192;

/** Where the first block of a pair lies: behind the words of eight rows. */
export const FIRST_BLOCK: usize = 32;

/** Bytes of an unpacked block of two groups: as in tile-unpack.ts, but the scales of the second half for the minima. */
const UNPACKED_BYTES: usize = 640;

/** Unpacks `columns` columns of the q6k group at `w` to every other 32 bytes from `to` on. */
export function unpackQ6k(to: usize, w: usize, columns: i32): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  for (let left = columns >> 5; left > 0; left -= 8) {
    const d0 = loadHalves(w, mask, half);
    const d1 = loadHalves(w + 8, mask, half);
    let pair = w + PAIRS;
    for (let inSuper = min(left, 8); inSuper > 0; inSuper -= 2) {
      let word0 = v128.load(pair);
      let word1 = v128.load(pair, 16);
      let block = pair + FIRST_BLOCK;
      for (let i = min(inSuper, 2); i > 0; i--) {
        const first0 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word0, 24), 24)), d0);
        const first1 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word1, 24), 24)), d1);
        const second0 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word0, 16), 24)), d0);
        const second1 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word1, 16), 24)), d1);
        v128.store(to, first0, 512);
        v128.store(to, first1, 528);
        v128.store(to, second0, 576);
        v128.store(to, second1, 592);
        word0 = i32x4.shr_u(word0, 16);
        word1 = i32x4.shr_u(word1, 16);
        unpackSixBits(to, block);
        block += BLOCK_BYTES;
        to += UNPACKED_BYTES;
      }
      pair += PAIR_BYTES;
    }
    w += Q6K_BYTES;
  }
}

/**
 * 32 columns of eight rows at `w` → bytes of 0…63. The upper bits of step s of a half are bits 2s and 2s + 1 of their
 * byte.
 */
function unpackSixBits(to: usize, w: usize): void {
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const top0 = v128.load(BITS_4_5);
  const top1 = v128.load(BITS_4_5, 16);
  const low0 = v128.load(w, 128);
  const low1 = v128.load(w, 144);
  const high0 = v128.load(w, 160);
  const high1 = v128.load(w, 176);
  // The upper bits of a step move to bits 4 and 5.
  for (const [$step, $move, $by] of [
    [0, 'i16x8.shl', ', 4'],
    [1, 'i16x8.shl', ', 2'],
    [2, '', ''],
    [3, 'i16x8.shr_u', ', 2'],
  ]) {
    let w0 = v128.load(w, 32 * $step);
    let w1 = v128.load(w, 32 * $step + 16);
    const a$step_0 = v128.or(v128.and(w0, nibbles0), v128.and($move(low0$by), top0));
    const a$step_1 = v128.or(v128.and(w1, nibbles1), v128.and($move(low1$by), top1));
    const b$step_0 = v128.or(upper(w0, nibbles0), v128.and($move(high0$by), top0));
    const b$step_1 = v128.or(upper(w1, nibbles1), v128.and($move(high1$by), top1));
    v128.store(to, a$step_0, 64 * $step);
    v128.store(to, a$step_1, 64 * $step + 16);
    v128.store(to, b$step_0, 64 * $step + 256);
    v128.store(to, b$step_1, 64 * $step + 272);
  }
}

import { EIGHTH_BIAS, HALF_BIAS, HALF_MASK, LOW_BYTES } from '../constants';
import { loadHalves } from '../vector';

// The head of a super-block of q4k and q5k: eight rows by 256 columns in eight blocks of 32. Eight f16 d, eight f16 dmin, then
// three words of each row, which are the twelve bytes of GGML's scales: six bits for the scale and the minimum of each block.
// A block's scale is d · scale and its minimum −dmin · minimum; both are exact in float32.

/** Bytes before the blocks. */
export const HEAD_BYTES: usize = 128;

/** Where the words of rows 0…3 and 4…7 lie, and from one word to the next. */
const WORDS: usize = 32;
const WORD_BYTES: usize = 32;

/** The six lowest bits of each byte, the lowest four, and the two above those. */
const SIX: i32 = 0x3f3f3f3f;
const FOUR: i32 = 0x0f0f0f0f;
const TWO: i32 = 0x30303030;

/**
 * Puts the f32 scales of the `blocks` (1…8) blocks of the super-block at `w` to every `stride` bytes from `to` on, those of
 * eight rows side by side, and their minima by −1/8 64 bytes behind.
 */
export function unpackScales(to: usize, w: usize, blocks: i32, stride: usize): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const eighth = v128.load(EIGHTH_BIAS);
  const byte0 = v128.load(LOW_BYTES);
  const byte1 = v128.load(LOW_BYTES, 16);
  const d0 = loadHalves(w, mask, half);
  const d1 = loadHalves(w + 8, mask, half);
  const m0 = loadHalves(w + 16, mask, eighth);
  const m1 = loadHalves(w + 24, mask, eighth);
  const a0 = v128.load(w, WORDS);
  const a1 = v128.load(w, WORDS + 16);
  const b0 = v128.load(w, WORDS + WORD_BYTES);
  const b1 = v128.load(w, WORDS + WORD_BYTES + 16);
  const c0 = v128.load(w, WORDS + WORD_BYTES * 2);
  const c1 = v128.load(w, WORDS + WORD_BYTES * 2 + 16);
  let scale0 = v128.and(a0, i32x4.splat(SIX));
  let scale1 = v128.and(a1, i32x4.splat(SIX));
  let minimum0 = v128.and(b0, i32x4.splat(SIX));
  let minimum1 = v128.and(b1, i32x4.splat(SIX));
  for (let left = blocks; left > 0; left -= 4) {
    for (let i = min(left, 4); i > 0; i--) {
      const s0 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(scale0, byte0)), d0);
      const s1 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(scale1, byte1)), d1);
      const n0 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(minimum0, byte0)), m0);
      const n1 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(minimum1, byte1)), m1);
      v128.store(to, s0);
      v128.store(to, s1, 16);
      v128.store(to, n0, 64);
      v128.store(to, n1, 80);
      scale0 = i32x4.shr_u(scale0, 8);
      scale1 = i32x4.shr_u(scale1, 8);
      minimum0 = i32x4.shr_u(minimum0, 8);
      minimum1 = i32x4.shr_u(minimum1, 8);
      to += stride;
    }
    // Of the last four blocks: four bits in the third word, two above the six of the first four.
    scale0 = v128.or(v128.and(c0, i32x4.splat(FOUR)), v128.and(i32x4.shr_u(a0, 2), i32x4.splat(TWO)));
    scale1 = v128.or(v128.and(c1, i32x4.splat(FOUR)), v128.and(i32x4.shr_u(a1, 2), i32x4.splat(TWO)));
    minimum0 = v128.or(v128.and(i32x4.shr_u(c0, 4), i32x4.splat(FOUR)), v128.and(i32x4.shr_u(b0, 2), i32x4.splat(TWO)));
    minimum1 = v128.or(v128.and(i32x4.shr_u(c1, 4), i32x4.splat(FOUR)), v128.and(i32x4.shr_u(b1, 2), i32x4.splat(TWO)));
  }
}

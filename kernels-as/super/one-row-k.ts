import { BIT_4, EIGHTH_BIAS, HALF_BIAS, HALF_MASK, LOW_BYTES, NIBBLES } from '../constants';
import { dot, join } from '../matmul/dot';
import { result } from '../matmul/epilogue';
import { loadHalves, multiplyAdd, upper } from '../vector';
import { HEAD_BYTES } from './scales-k';

const SIX: i32 = 0x3f3f3f3f;
const FOUR: i32 = 0x0f0f0f0f;
const TWO: i32 = 0x30303030;

/**
 * What low and high nibbles have summed. Of four bits both fit 16 bits together; of five each does alone, 8 products of
 * at most 31 · 127.
 */
function whole<Q>(low: v128, high: v128): v128 {
  if (VNNI) return i32x4.add(low, high);
  return sizeof<Q>() == 8 ? i32x4.add(join(low), join(high)) : join(i16x8.add(low, high));
}

/** Low nibbles, with Q Wide under the fifth bits that stand at `bit` of `moved`. */
function low<Q>(w: v128, nibbles: v128, moved: v128, bit: v128): v128 {
  const nibble = v128.and(w, nibbles);
  return sizeof<Q>() == 8 ? v128.or(nibble, v128.and(moved, bit)) : nibble;
}

/** High nibbles, as `low`. */
function high<Q>(w: v128, nibbles: v128, moved: v128, bit: v128): v128 {
  const nibble = upper(w, nibbles);
  return sizeof<Q>() == 8 ? v128.or(nibble, v128.and(moved, bit)) : nibble;
}

/**
 * One row by one group of q4k or, with Q Wide, q5k weights as they come from memory: the sums of tile.ts in their
 * order. In the super-block's head scales and minima of six bits wait in words, a byte each block, and come down by
 * eight bits from block to block.
 */
export function oneRowK<Q>(
  out: usize,
  x: usize,
  scales: usize,
  offsets: usize,
  columns: i32,
  w: usize,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const eighth = v128.load(EIGHTH_BIAS);
  const byte0 = v128.load(LOW_BYTES);
  const byte1 = v128.load(LOW_BYTES, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const bit0 = v128.load(BIT_4);
  const bit1 = v128.load(BIT_4, 16);
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let left = columns >> 5; left > 0; left -= 8) {
    const d0 = loadHalves(w, mask, half);
    const d1 = loadHalves(w + 8, mask, half);
    const m0 = loadHalves(w + 16, mask, eighth);
    const m1 = loadHalves(w + 24, mask, eighth);
    let scale0 = v128.and(v128.load(w, 32), i32x4.splat(SIX));
    let scale1 = v128.and(v128.load(w, 48), i32x4.splat(SIX));
    let minimum0 = v128.and(v128.load(w, 64), i32x4.splat(SIX));
    let minimum1 = v128.and(v128.load(w, 80), i32x4.splat(SIX));
    const head = w;
    w += HEAD_BYTES;
    for (let inSuper = min(left, 8); inSuper > 0; inSuper -= 4) {
      for (let i = min(inSuper, 4); i > 0; i--) {
        let a0 = i32x4.splat(0);
        let a1 = a0;
        let b0 = a0;
        let b1 = a0;
        const fifth0 = sizeof<Q>() == 8 ? v128.load(w, 128) : a0;
        const fifth1 = sizeof<Q>() == 8 ? v128.load(w, 144) : a0;
        for (const $step of upTo(4)) {
          let w0 = v128.load(w, 32 * $step);
          let w1 = v128.load(w, 32 * $step + 16);
          let v = v128.load32_splat(x, 4 * $step);
          a0 = dot(a0, v, low<Q>(w0, nibbles0, i16x8.shl(fifth0, 4 - $step), bit0));
          a1 = dot(a1, v, low<Q>(w1, nibbles1, i16x8.shl(fifth1, 4 - $step), bit1));
          v = v128.load32_splat(x, 16 + 4 * $step);
          b0 = dot(b0, v, high<Q>(w0, nibbles0, $step ? i16x8.shr_u(fifth0, $step) : fifth0, bit0));
          b1 = dot(b1, v, high<Q>(w1, nibbles1, $step ? i16x8.shr_u(fifth1, $step) : fifth1, bit1));
        }
        const s0 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(scale0, byte0)), d0);
        const s1 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(scale1, byte1)), d1);
        const n0 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(minimum0, byte0)), m0);
        const n1 = f32x4.mul(f32x4.convert_i32x4_s(v128.and(minimum1, byte1)), m1);
        const scale = v128.load32_splat(scales);
        const offset = f32x4.mul(f32x4.convert_i32x4_s(v128.load32_splat(offsets)), scale);
        sum0 = multiplyAdd(f32x4.convert_i32x4_s(whole<Q>(a0, b0)), f32x4.mul(s0, scale), sum0);
        sum1 = multiplyAdd(f32x4.convert_i32x4_s(whole<Q>(a1, b1)), f32x4.mul(s1, scale), sum1);
        sum0 = multiplyAdd(n0, offset, sum0);
        sum1 = multiplyAdd(n1, offset, sum1);
        scale0 = i32x4.shr_u(scale0, 8);
        scale1 = i32x4.shr_u(scale1, 8);
        minimum0 = i32x4.shr_u(minimum0, 8);
        minimum1 = i32x4.shr_u(minimum1, 8);
        x += 32;
        scales += 4;
        offsets += 4;
        w += sizeof<Q>() == 8 ? 160 : 128;
      }
      // Of the last four blocks: four bits in the third word, two above the six of the first four.
      const third0 = v128.load(head, 96);
      const third1 = v128.load(head, 112);
      scale0 = v128.or(
        v128.and(third0, i32x4.splat(FOUR)),
        v128.and(i32x4.shr_u(v128.load(head, 32), 2), i32x4.splat(TWO)),
      );
      scale1 = v128.or(
        v128.and(third1, i32x4.splat(FOUR)),
        v128.and(i32x4.shr_u(v128.load(head, 48), 2), i32x4.splat(TWO)),
      );
      minimum0 = v128.or(
        v128.and(i32x4.shr_u(third0, 4), i32x4.splat(FOUR)),
        v128.and(i32x4.shr_u(v128.load(head, 64), 2), i32x4.splat(TWO)),
      );
      minimum1 = v128.or(
        v128.and(i32x4.shr_u(third1, 4), i32x4.splat(FOUR)),
        v128.and(i32x4.shr_u(v128.load(head, 80), 2), i32x4.splat(TWO)),
      );
    }
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const low = result(sum0, bias0, before, factor);
  const high = result(sum1, bias1, before + 16, factor + 16);
  v128.store(out, low);
  v128.store(out, high, 16);
}

// How a block of four-bit weights joins a row's sum. Q says what the nibbles mean (quant-tags.ts).

import { loadHalves, multiplyAdd } from '../vector';

/** Bytes of a block: nibbles, eight f16 scales, and with Q4m eight f16 minima. */
export function blockBytes<Q>(): usize {
  return isFloat<Q>() ? 160 : 144;
}

/**
 * What the block's offset, −8 times its sum of activations at `offsets`, is for all rows of weights: i32 that joins their
 * integers; with Q4m times the activations' scale, a float that minima multiply.
 */
export function offset<Q>(offsets: usize, scale: v128): v128 {
  const offset = v128.load32_splat(offsets);
  if (isFloat<Q>()) return f32x4.mul(f32x4.convert_i32x4_s(offset), scale);
  return offset;
}

/** Four minima at `from`, for an offset of −8 sums: by −1/8. Nothing without them. `bias`: MINIMUM_BIAS. */
export function minima<Q>(from: usize, mask: v128, bias: v128): v128 {
  return isFloat<Q>() ? loadHalves(from, mask, bias) : f32x4.splat(0);
}

/** sum + a block's `integers`, i32 [4], times `scale`, with its offset. */
export function addBlock<Q>(sum: v128, integers: v128, scale: v128, offset: v128, minimum: v128): v128 {
  if (isFloat<Q>()) {
    return multiplyAdd(minimum, offset, multiplyAdd(f32x4.convert_i32x4_s(integers), scale, sum));
  }
  return multiplyAdd(f32x4.convert_i32x4_s(i32x4.add(integers, offset)), scale, sum);
}

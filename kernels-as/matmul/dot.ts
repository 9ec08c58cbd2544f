// The dot that the relaxed variants are built on: four activations, int8, with four weights of each of four rows.
// Weights are the second operand, which is a number of 0…127 on every CPU. VNNI is set where the variant asks for more:
// the one x64 instruction that adds to 32 bits and reads weights of 0…255. The start-up test refuses that variant where
// V8 has only the longer way, which overflows at 16 bits.
import { evenWords, oddWords } from './widen';

/** sums + products. With VNNI i32 [4], otherwise i16 [8], whose caller keeps the sum within 16 bits. */
export function dot(sums: v128, x: v128, weights: v128): v128 {
  if (VNNI) return i32x4.relaxed_dot_i8x16_i7x16_add_s(x, weights, sums);
  return i16x8.add(sums, i16x8.relaxed_dot_i8x16_i7x16_s(x, weights));
}

/** What `dot` summed, one i32 for each of four rows. */
export function join(sums: v128): v128 {
  if (VNNI) return sums;
  return i32x4.extadd_pairwise_i16x8_s(sums);
}

/** `dot` where sums of weights that Q says are wide need 32 bits: then i32 [4] in every variant, and all bits the same. */
export function dotOf<Q>(sums: v128, x: v128, weights: v128): v128 {
  if (VNNI || sizeof<Q>() != 8) return dot(sums, x, weights);
  if (ASC_FEATURE_RELAXED_SIMD) {
    return i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(i16x8.relaxed_dot_i8x16_i7x16_s(x, weights)));
  }
  // Even and odd columns, each widened to 16 bits: weights are below 128, so that their sign says nothing.
  const even = i32x4.dot_i16x8_s(evenWords(x), evenWords(weights));
  return i32x4.add(i32x4.add(sums, even), i32x4.dot_i16x8_s(oddWords(x), oddWords(weights)));
}

/** What `dotOf` summed, one i32 for each of four rows. */
export function joinOf<Q>(sums: v128): v128 {
  return sizeof<Q>() == 8 ? sums : join(sums);
}

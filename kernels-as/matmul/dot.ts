// The dot that the relaxed variants are built on: four activations, int8, with four weights of each of four rows.
// Weights are the second operand, which is a number of 0…127 on every CPU. VNNI is set where the variant asks for more:
// the one x64 instruction that adds to 32 bits and reads weights of 0…255. The start-up test refuses that variant where
// V8 has only the longer way, which overflows at 16 bits.

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

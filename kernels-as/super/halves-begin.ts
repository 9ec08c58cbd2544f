import { dot } from '../matmul/dot';
import { evenWords, oddWords } from '../matmul/widen';

// Sums of a half block of 16 columns by weights of six bits that count from 32. In 16 bits what a lane starts from takes its own
// columns' part of the zero point: four steps of two products, each within 32 · 127, are ±32,512, and what overflows on the
// way comes back.

/**
 * The start of sums: −32 times the sums of activations, from the half's two offsets at `from` (kernel-interface.ts,
 * quantised row).
 */
export function begin(from: usize): v128 {
  const offsets = v128.load32_splat(from);
  if (ASC_FEATURE_RELAXED_SIMD && !VNNI) return i16x8.shl(offsets, 2);
  return i32x4.shl(i32x4.extadd_pairwise_i16x8_s(offsets), 2);
}

/** sums + products of four columns. */
export function step(sums: v128, x: v128, weights: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return dot(sums, x, weights);
  const even = i32x4.dot_i16x8_s(evenWords(x), evenWords(weights));
  return i32x4.add(i32x4.add(sums, even), i32x4.dot_i16x8_s(oddWords(x), oddWords(weights)));
}

/** The sums as i32, one for each row of weights. */
export function whole(sums: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD && !VNNI) return i32x4.extadd_pairwise_i16x8_s(sums);
  return sums;
}

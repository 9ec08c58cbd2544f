/** Eight int8 values at `from` → f32 at `to`. */
function widenEight(to: usize, from: usize): void {
  const words = v128.load8x8_s(from);
  v128.store(to, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(words)));
  v128.store(to, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(words)), 16);
}

/** `count` int8 values, a multiple of 8 up to 32, of each of 32 tokens, `stride` apart → f32 [32][32]. */
export function widen(out: usize, values: usize, stride: usize, count: i32): void {
  for (const end = out + 4096; out < end; out += 128) {
    if (count == 32) {
      widenEight(out, values);
      widenEight(out + 32, values + 8);
      widenEight(out + 64, values + 16);
      widenEight(out + 96, values + 24);
    } else {
      for (let dim = 0; dim < count; dim += 8) widenEight(out + ((<usize>dim) << 2), values + <usize>dim);
    }
    values += stride;
  }
}

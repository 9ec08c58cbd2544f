// What all repacking shares. A packed block of 32 columns has a word of four columns for each row, the words of eight rows (32
// bytes) one after the other, step by step. Rows are `stride` bytes apart in the file. Each function gives 0, or 1 where an f16
// scale or minimum is NaN or infinite.

/** Puts the words of `steps` for steps 0…3 of a row, whose word of step 0 is at `to`. */
export function putSteps(to: usize, steps: v128): void {
  v128.store32_lane(to, steps, 0);
  v128.store32_lane(to, steps, 1, 32);
  v128.store32_lane(to, steps, 2, 64);
  v128.store32_lane(to, steps, 3, 96);
}

/** Copies an f16; gives 1 where it is NaN or infinite. */
export function copyHalf(to: usize, from: usize): u32 {
  const half: u32 = load<u16>(from);
  store<u16>(to, <u16>half);
  return u32((half & 0x7c00) === 0x7c00);
}

/** The low nibbles of `a` under those of `b`. */
export function lowNibbles(a: v128, b: v128): v128 {
  const mask = i8x16.splat(0x0f);
  return v128.or(v128.and(a, mask), i8x16.shl(v128.and(b, mask), 4));
}

/** The high nibbles of `a` under those of `b`. */
export function highNibbles(a: v128, b: v128): v128 {
  return v128.or(i8x16.shr_u(a, 4), v128.and(b, i8x16.splat(<i8>0xf0)));
}

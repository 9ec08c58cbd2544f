import { copyHalf, putSteps } from './words';

// Q4_0, Q4_1 and Q8_0: f16 scale, with Q4_1 f16 minimum, then the integers as ours are: nibbles are paired in the same way.

/** Blocks of 16 bytes of nibbles under one f16 → packed blocks of 144 bytes. */
export function repackQ4(rows: usize, stride: usize, columns: i32, out: usize): u32 {
  let bad: u32 = 0;
  for (let row: usize = 0; row < 8; row++) {
    let from = rows + row * stride;
    let to = out + row * 4;
    for (let left = columns >> 5; left > 0; left--) {
      bad |= copyHalf(to - row * 2 + 128, from);
      putSteps(to, v128.load(from, 2));
      from += 18;
      to += 144;
    }
  }
  return bad;
}

/** Blocks of 16 bytes of nibbles under two f16 → packed blocks of 160 bytes. */
export function repackQ4m(rows: usize, stride: usize, columns: i32, out: usize): u32 {
  let bad: u32 = 0;
  for (let row: usize = 0; row < 8; row++) {
    let from = rows + row * stride;
    let to = out + row * 4;
    for (let left = columns >> 5; left > 0; left--) {
      bad |= copyHalf(to - row * 2 + 128, from);
      bad |= copyHalf(to - row * 2 + 144, from + 2);
      putSteps(to, v128.load(from, 4));
      from += 20;
      to += 160;
    }
  }
  return bad;
}

/** Blocks of 32 int8 under one f16 → packed blocks of 272 bytes. */
export function repackQ8(rows: usize, stride: usize, columns: i32, out: usize): u32 {
  let bad: u32 = 0;
  for (let row: usize = 0; row < 8; row++) {
    let from = rows + row * stride;
    let to = out + row * 4;
    for (let left = columns >> 5; left > 0; left--) {
      bad |= copyHalf(to - row * 2 + 256, from);
      putSteps(to, v128.load(from, 2));
      putSteps(to + 128, v128.load(from, 18));
      from += 34;
      to += 272;
    }
  }
  return bad;
}

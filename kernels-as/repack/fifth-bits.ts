import { copyHalf, putSteps } from './words';

// Q5_0 and Q5_1: f16 scale, with Q5_1 f16 minimum; a word with the fifth bits of 32 columns; 16 bytes of nibbles.
// Packed blocks have a word of fifth bits for each row behind the nibbles: bit s of its byte c is that of column 4s +
// c.

/** The fifth bits of 32 columns as ours are. */
function fifthBits(bits: i32): i32 {
  // In lane c the bits of columns 4s + c, at 4s + 3; then at 4s, and side by side.
  let lanes = i32x4.mul(i32x4.splat(bits), i32x4(8, 4, 2, 1));
  lanes = v128.and(i32x4.shr_u(lanes, 3), i32x4.splat(0x11111111));
  lanes = v128.and(v128.or(lanes, i32x4.shr_u(lanes, 3)), i32x4.splat(0x03030303));
  lanes = v128.and(v128.or(lanes, i32x4.shr_u(lanes, 6)), i32x4.splat(0x000f000f));
  lanes = v128.or(lanes, i32x4.shr_u(lanes, 12));
  return i32x4.extract_lane(v128.shuffle<u8>(lanes, lanes, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12), 0);
}

for (const [$quant, $blockBytes, $packedBytes] of [
  ['Q5', 22, 176],
  ['Q5m', 24, 192],
]) {
  const $hasMinima = '$quant' == 'Q5m';
  const $bits = $hasMinima ? 4 : 2;

  /** Blocks of $blockBytes bytes → packed blocks of $packedBytes. */
  export function repack$quant(rows: usize, stride: usize, columns: i32, out: usize): u32 {
    let bad: u32 = 0;
    for (let row: usize = 0; row < 8; row++) {
      let from = rows + row * stride;
      let to = out + row * 4;
      for (let left = columns >> 5; left > 0; left--) {
        bad |= copyHalf(to - row * 2 + 160, from);
        bad |= copyHalf(to - row * 2 + 176, from + 2); // if $hasMinima
        store<i32>(to + 128, fifthBits(load<i32>(from + $bits)));
        putSteps(to, v128.load(from, $bits + 4));
        from += $blockBytes;
        to += $packedBytes;
      }
    }
    return bad;
  }
}

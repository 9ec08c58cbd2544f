import { copyHalf, putSteps } from './words';

// Q4_0, Q4_1 and Q8_0: f16 scale, with Q4_1 f16 minimum, then the integers as ours are: nibbles are paired in the same
// way.

// Of each quant: bytes of a block in the file and packed, and where scales lie behind the integers.
for (const [$quant, $blockBytes, $packedBytes, $scales] of [
  ['Q4', 18, 144, 128],
  ['Q4m', 20, 160, 128],
  ['Q8', 34, 272, 256],
]) {
  const $hasMinima = '$quant' == 'Q4m';
  const $isWhole = '$quant' == 'Q8';

  /** Blocks of $blockBytes bytes → packed blocks of $packedBytes. */
  export function repack$quant(rows: usize, stride: usize, columns: i32, out: usize): u32 {
    let bad: u32 = 0;
    for (let row: usize = 0; row < 8; row++) {
      let from = rows + row * stride;
      let to = out + row * 4;
      for (let left = columns >> 5; left > 0; left--) {
        bad |= copyHalf(to - row * 2 + $scales, from);
        bad |= copyHalf(to - row * 2 + 144, from + 2); // if $hasMinima
        putSteps(to, v128.load(from, $hasMinima ? 4 : 2));
        putSteps(to + 128, v128.load(from, 18)); // if $isWhole
        from += $blockBytes;
        to += $packedBytes;
      }
    }
    return bad;
  }
}

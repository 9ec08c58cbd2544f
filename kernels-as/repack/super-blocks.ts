import { copyHalf, highNibbles, lowNibbles, putSteps } from './words';

// Q4_K and Q5_K: f16 d and dmin, three words of scales, with Q5_K 32 bytes of fifth bits, 128 bytes of nibbles: of 64
// columns those of the first 32 are the low ones. Packed: d of eight rows, dmin, three words of each row, then eight
// blocks.

/** Bytes before the blocks of a packed super-block. */
const HEAD: usize = 128;

/** d, dmin and the three words of a row; `from` begins with d. */
function putHead(to: usize, from: usize, row: usize): u32 {
  const bad = copyHalf(to + row * 2, from) | copyHalf(to + 16 + row * 2, from + 2);
  store<u32>(to + 32 + row * 4, load<u32>(from + 4));
  store<u32>(to + 64 + row * 4, load<u32>(from + 8));
  store<u32>(to + 96 + row * 4, load<u32>(from + 12));
  return bad;
}

/** Two blocks of 32 columns, `blockBytes` apart, of 32 bytes of nibbles. */
function putPair(to: usize, from: usize, blockBytes: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 16);
  putSteps(to, lowNibbles(a, b));
  putSteps(to + blockBytes, highNibbles(a, b));
}

// Of each quant: bytes of a super-block in the file and packed, where its nibbles begin in the file, and a packed
// block's bytes.
for (const [$quant, $superBytes, $packedBytes, $nibbles, $blockBytes] of [
  ['Q4k', 144, 1152, 16, 128],
  ['Q5k', 176, 1408, 48, 160],
]) {
  const $isFive = '$quant' == 'Q5k';

  /** Super-blocks of $superBytes bytes → packed super-blocks of $packedBytes. */
  export function repack$quant(rows: usize, stride: usize, columns: i32, out: usize): u32 {
    let bad: u32 = 0;
    for (let row: usize = 0; row < 8; row++) {
      let from = rows + row * stride;
      let to = out;
      for (let left = columns >> 8; left > 0; left--) {
        bad |= putHead(to, from, row);
        const first = to + HEAD + row * 4;
        for (let pair: usize = 0; pair < 4; pair++) {
          putPair(first + pair * 2 * $blockBytes, from + $nibbles + pair * 32, $blockBytes);
        }
        putFifthBits(first + 128, from + 16); // if $isFive
        from += $superBytes;
        to += $packedBytes;
      }
    }
    return bad;
  }
}

/**
 * The words of fifth bits of eight blocks, 160 bytes apart. In the file bit j of byte 4s + c is that of block j, step
 * s, column c; in ours bit s of byte c of word j: a transposition of 8 by 8 bits for each c. Source: H. S. Warren,
 * Hacker's Delight, 7-3.
 */
function putFifthBits(to: usize, from: usize): void {
  const low = v128.load(from);
  const high = v128.load(from, 16);
  const first = v128.shuffle<u8>(low, high, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const second = v128.shuffle<u8>(low, high, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  const a = transposeBits(first);
  const b = transposeBits(second);
  const words0 = v128.shuffle<u8>(a, b, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const words4 = v128.shuffle<u8>(a, b, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
  v128.store32_lane(to, words0, 0);
  v128.store32_lane(to, words0, 1, 160);
  v128.store32_lane(to, words0, 2, 320);
  v128.store32_lane(to, words0, 3, 480);
  v128.store32_lane(to, words4, 0, 640);
  v128.store32_lane(to, words4, 1, 800);
  v128.store32_lane(to, words4, 2, 960);
  v128.store32_lane(to, words4, 3, 1120);
}

/** Two matrices of 8 by 8 bits, each a row a byte. */
function transposeBits(x: v128): v128 {
  let t = v128.and(v128.xor(x, i64x2.shr_u(x, 7)), i64x2.splat(0x00aa00aa00aa00aa));
  x = v128.xor(x, v128.xor(t, i64x2.shl(t, 7)));
  t = v128.and(v128.xor(x, i64x2.shr_u(x, 14)), i64x2.splat(0x0000cccc0000cccc));
  x = v128.xor(x, v128.xor(t, i64x2.shl(t, 14)));
  t = v128.and(v128.xor(x, i64x2.shr_u(x, 28)), i64x2.splat(0x00000000f0f0f0f0));
  return v128.xor(x, v128.xor(t, i64x2.shl(t, 28)));
}

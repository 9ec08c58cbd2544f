import { copyHalf, lowNibbles, putSteps } from './words';

// Q6_K: 128 bytes of low nibbles, 64 of upper bits, 16 int8 scales, f16 d. Packed: d of eight rows, then four pairs of blocks of 32
// columns under a word of scales of each row; a block has its nibbles and twice a word of upper bits.

const PAIR_BYTES: usize = 416;
const BLOCK_BYTES: usize = 192;

/** Blocks of 210 bytes → packed super-blocks of 1,680. */
export function repackQ6k(rows: usize, stride: usize, columns: i32, out: usize): u32 {
  let bad: u32 = 0;
  for (let row: usize = 0; row < 8; row++) {
    let from = rows + row * stride;
    let to = out;
    for (let left = columns >> 8; left > 0; left--) {
      bad |= copyHalf(to + row * 2, from + 208);
      const pairs = to + 16 + row * 4;
      for (let pair: usize = 0; pair < 4; pair++) {
        store<u32>(pairs + pair * PAIR_BYTES, load<u32>(from + 192 + pair * 4));
      }
      for (let half: usize = 0; half < 2; half++) {
        putHalf(pairs + 32 + half * 2 * PAIR_BYTES, from + half * 64, from + 128 + half * 32);
      }
      from += 210;
      to += 1680;
    }
  }
  return bad;
}

/** Four blocks: of 64 bytes of nibbles the first two are the low ones; their upper bits share 32 bytes. */
function putHalf(to: usize, nibbles: usize, tops: usize): void {
  const a0 = v128.load(nibbles);
  const b0 = v128.load(nibbles, 16);
  const a1 = v128.load(nibbles, 32);
  const b1 = v128.load(nibbles, 48);
  putSteps(to, lowNibbles(a0, b0));
  putSteps(to + BLOCK_BYTES, lowNibbles(a1, b1));
  putSteps(to + PAIR_BYTES, lowNibbles(i8x16.shr_u(a0, 4), i8x16.shr_u(b0, 4)));
  putSteps(to + PAIR_BYTES + BLOCK_BYTES, lowNibbles(i8x16.shr_u(a1, 4), i8x16.shr_u(b1, 4)));
  putTops(to + 128, tops);
  putTops(to + 160, tops + 16);
}

/**
 * The words of the upper bits of 16 columns of four blocks. In the file bits 2j and 2j + 1 of byte 4s + c are those of block j, step
 * s, column c; in ours bits 2s and 2s + 1 of byte c of word j: a transposition of 4 by 4 pairs of bits for each c.
 */
function putTops(to: usize, from: usize): void {
  const tops = v128.load(from);
  let x = v128.shuffle<u8>(tops, tops, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  let t = v128.and(v128.xor(x, i32x4.shr_u(x, 6)), i32x4.splat(0x00cc00cc));
  x = v128.xor(x, v128.xor(t, i32x4.shl(t, 6)));
  t = v128.and(v128.xor(x, i32x4.shr_u(x, 12)), i32x4.splat(0x0000f0f0));
  x = v128.xor(x, v128.xor(t, i32x4.shl(t, 12)));
  const words = v128.shuffle<u8>(x, x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  v128.store32_lane(to, words, 0);
  v128.store32_lane(to, words, 1, BLOCK_BYTES);
  v128.store32_lane(to, words, 2, PAIR_BYTES);
  v128.store32_lane(to, words, 3, PAIR_BYTES + BLOCK_BYTES);
}

import { NIBBLES } from '../constants';
import { upper } from '../vector';
import { HEAD_BYTES, unpackScales } from './scales-k';
import { unpackFiveBits } from './unpack-fifth';

// Super-blocks of q4k and q5k: their head (scales-k.ts), then eight blocks of 128 bytes of nibbles, with q5k 32 of fifth bits.

/** Bytes of a super-block. */
export const Q4K_BYTES: usize = 1152;
export const Q5K_BYTES: usize = 1408;

/** Bytes of an unpacked block of two groups (tile-unpack.ts). */
const UNPACKED_BYTES: usize = 640;

/** Bytes of a group of eight rows. */
export function groupBytes(columns: i32, superBytes: usize): usize {
  return <usize>((columns + 255) >> 8) * superBytes;
}

/** Unpacks `columns` columns of the q4k or q5k (`isFive`) group at `w` to every other 32 bytes from `to` on (tile-unpack.ts). */
export function unpackK(to: usize, w: usize, columns: i32, isFive: bool): void {
  for (let left = columns >> 5; left > 0; left -= 8) {
    const blocks = min(left, 8);
    unpackScales(to + 512, w, blocks, UNPACKED_BYTES);
    let block = w + HEAD_BYTES;
    for (let i = 0; i < blocks; i++) {
      if (isFive) {
        unpackFiveBits(to, block, block + 128);
        block += 160;
      } else {
        unpackNibbles(to, block);
        block += 128;
      }
      to += UNPACKED_BYTES;
    }
    w += isFive ? Q5K_BYTES : Q4K_BYTES;
  }
}

/** 32 columns of eight rows at `w` → bytes of 0…15 in every other 32 bytes from `to` on. */
function unpackNibbles(to: usize, w: usize): void {
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  for (const end = w + 128; w < end; w += 32) {
    const w0 = v128.load(w);
    const w1 = v128.load(w, 16);
    const low0 = v128.and(w0, nibbles0);
    const low1 = v128.and(w1, nibbles1);
    const high0 = upper(w0, nibbles0);
    const high1 = upper(w1, nibbles1);
    v128.store(to, low0);
    v128.store(to, low1, 16);
    v128.store(to, high0, 256);
    v128.store(to, high1, 272);
    to += 64;
  }
}

import { FLIP, HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { blockBytes } from '../matmul/nibble-block';
import { loadHalves, upper } from '../vector';

// What tile.ts unpacks, and how Q says what weights mean there.

/** Bytes of a packed block of one group. */
export function packedBytes<Q>(): usize {
  return sizeof<Q>() == 1 ? 272 : blockBytes<Q>();
}

/** Bytes of an unpacked block of two groups: a byte a weight, then f32 scales, then minima where there are some. */
export function unpackedBytes<Q>(): usize {
  return isFloat<Q>() ? 640 : 576;
}

/**
 * Unpacks `blocks` blocks of the group at `w` to every other 32 bytes from `to` on: four columns of eight rows each, as
 * numbers of 0…255, columns in order; then scales, then minima.
 */
export function unpack<Q>(to: usize, w: usize, blocks: i32): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const pattern0 = v128.load(sizeof<Q>() == 1 ? FLIP : NIBBLES);
  const pattern1 = v128.load(sizeof<Q>() == 1 ? FLIP : NIBBLES, 16);
  for (; blocks > 0; blocks--) {
    if (sizeof<Q>() == 1) {
      for (const end = w + 256; w < end; w += 32) {
        const w0 = v128.xor(v128.load(w), pattern0);
        const w1 = v128.xor(v128.load(w, 16), pattern1);
        v128.store(to, w0);
        v128.store(to, w1, 16);
        to += 64;
      }
    } else {
      for (const end = w + 128; w < end; w += 32) {
        const w0 = v128.load(w);
        const w1 = v128.load(w, 16);
        const low0 = v128.and(w0, pattern0);
        const low1 = v128.and(w1, pattern1);
        const high0 = upper(w0, pattern0);
        const high1 = upper(w1, pattern1);
        v128.store(to, low0);
        v128.store(to, low1, 16);
        v128.store(to, high0, 256);
        v128.store(to, high1, 272);
        to += 64;
      }
      to += 256;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    v128.store(to, scale0);
    v128.store(to, scale1, 16);
    w += 16;
    to += 64;
    if (isFloat<Q>()) {
      const minimum0 = loadHalves(w, mask, minus);
      const minimum1 = loadHalves(w + 8, mask, minus);
      v128.store(to, minimum0);
      v128.store(to, minimum1, 16);
      w += 16;
      to += 64;
    }
  }
}

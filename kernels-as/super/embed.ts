import { loadHalf } from '../vector';
import { HEAD_BYTES } from './scales-k';
import { groupBytes, Q4K_BYTES, Q5K_BYTES } from './unpack-k';
import { Q5_BYTES, Q5M_BYTES } from './unpack-fifth';
import { BLOCK_BYTES, FIRST_BLOCK, PAIR_BYTES, PAIRS, Q6K_BYTES } from './unpack-q6k';

// Rows of tables whose blocks are those of this folder, as f32 (kernel-interface.ts, Embed).

/**
 * The integer of (row, column 0…31) of a block of nibbles at `w`; its fifth bits lie at `fifth` where there are some.
 */
function fiveBits(w: usize, fifth: usize, row: usize, column: usize): i32 {
  const at = (((column & 15) >> 2) << 5) + (row << 2) + (column & 3);
  const nibble = (i32(load<u8>(w + at)) >> i32((column >> 4) << 2)) & 15;
  if (!fifth) return nibble;
  return nibble | (((i32(load<u8>(fifth + (row << 2) + (column & 3))) >> i32(column >> 2)) & 1) << 4);
}

/**
 * The same with two upper bits: those of the first 16 columns 128 bytes behind the nibbles, the others' 32 behind
 * those.
 */
function sixBits(w: usize, row: usize, column: usize): i32 {
  const half = column >> 4;
  const top = i32(load<u8>(w + 128 + (half << 5) + (row << 2) + (column & 3)));
  return fiveBits(w, 0, row, column) | (((top >> i32(((column & 15) >> 2) << 1)) & 3) << 4);
}

/**
 * Scale and minimum of block `block` of a super-block at `w`, six bits each (scales-k.ts): the scale, the minimum above
 * it.
 */
function scalesOf(w: usize, row: usize, block: usize): i32 {
  const at = w + 32 + (row << 2) + (block & 3);
  const a = i32(load<u8>(at));
  const b = i32(load<u8>(at, 32));
  if (block < 4) return (a & 63) | ((b & 63) << 8);
  const c = i32(load<u8>(at, 64));
  return (c & 15) | ((a >> 6) << 4) | (((c >> 4) | ((b >> 6) << 4)) << 8);
}

/** q5 (`hasMinima` false) and q5m. */
function embedFive(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
  hasMinima: bool,
): void {
  const bytes = hasMinima ? Q5M_BYTES : Q5_BYTES;
  const blocks = <usize>((columns + 31) >> 5);
  for (let r = rowStart; r < rowEnd; r++) {
    const token = <usize>load<i32>(tokenIds + ((<usize>r) << 2));
    const row = token & 7;
    let block = table + (token >> 3) * blocks * bytes;
    let to = out + <usize>r * outStride;
    for (let i: usize = 0; i < blocks; i++) {
      const factor = loadHalf(block + 160 + row * 2) * scale;
      const least: f32 = hasMinima ? loadHalf(block + 176 + row * 2) * scale : -16 * factor;
      for (let column: usize = 0; column < 32; column++, to += 4) {
        store<f32>(to, <f32>fiveBits(block, block + 128, row, column) * factor + least);
      }
      block += bytes;
    }
  }
}

/** q4k (`isFive` false) and q5k. */
function embedK(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
  isFive: bool,
): void {
  const superBytes = isFive ? Q5K_BYTES : Q4K_BYTES;
  const bytes = groupBytes(columns, superBytes);
  const blocks = <usize>((columns + 31) >> 5);
  for (let r = rowStart; r < rowEnd; r++) {
    const token = <usize>load<i32>(tokenIds + ((<usize>r) << 2));
    const row = token & 7;
    const group = table + (token >> 3) * bytes;
    let to = out + <usize>r * outStride;
    for (let i: usize = 0; i < blocks; i++) {
      const w = group + (i >> 3) * superBytes;
      const block = w + HEAD_BYTES + (i & 7) * (isFive ? 160 : 128);
      const both = scalesOf(w, row, i & 7);
      const factor = loadHalf(w + row * 2) * <f32>(both & 255) * scale;
      const least = loadHalf(w + 16 + row * 2) * <f32>(both >> 8) * scale;
      for (let column: usize = 0; column < 32; column++, to += 4) {
        store<f32>(to, <f32>fiveBits(block, isFive ? block + 128 : 0, row, column) * factor - least);
      }
    }
  }
}

for (const [$quant, $embed, $isMore] of [
  ['Q5', 'embedFive', false],
  ['Q5m', 'embedFive', true],
  ['Q4k', 'embedK', false],
  ['Q5k', 'embedK', true],
]) {
  /** Rows of a $quant table. */
  export function embed$quant(
    out: usize,
    outStride: usize,
    table: usize,
    columns: i32,
    tokenIds: usize,
    rowStart: i32,
    rowEnd: i32,
    scale: f32,
  ): void {
    $embed(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale, $isMore);
  }
}

/** Rows of a q6k table. */
export function embedQ6k(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  const bytes = groupBytes(columns, Q6K_BYTES);
  const blocks = <usize>((columns + 31) >> 5);
  for (let r = rowStart; r < rowEnd; r++) {
    const token = <usize>load<i32>(tokenIds + ((<usize>r) << 2));
    const row = token & 7;
    const group = table + (token >> 3) * bytes;
    let to = out + <usize>r * outStride;
    for (let i: usize = 0; i < blocks; i++) {
      const w = group + (i >> 3) * Q6K_BYTES;
      const pair = w + PAIRS + ((i & 7) >> 1) * PAIR_BYTES;
      const block = pair + FIRST_BLOCK + (i & 1) * BLOCK_BYTES;
      const d = loadHalf(w + row * 2);
      for (let column: usize = 0; column < 32; column++, to += 4) {
        const factor = d * <f32>load<i8>(pair + (row << 2) + ((i & 1) << 1) + (column >> 4)) * scale;
        store<f32>(to, <f32>(sixBits(block, row, column) - 32) * factor);
      }
    }
  }
}

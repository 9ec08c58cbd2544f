import { f16ToF32, type QuantName } from '../../../../weights/index.js';
import { readF32, type Views } from './views.js';

/** Reads single elements of a packed matrix, as `weights` lays it out. Addresses are those of a group of 8 rows. */
export interface PackedReader {
  groupBytes(columns: number): number;
  /** The stored number of (row, column): the value itself, or the integer that `scale` multiplies. */
  element(views: Views, group: number, row: number, column: number): number;
  /** The scale of (row, block of 32 columns); 1 for floats. */
  scale(views: Views, group: number, row: number, block: number): number;
  /** What is added to each value of (row, block of 32 columns); 0 where integers are signed. */
  minimum(views: Views, group: number, row: number, block: number): number;
}

const signed: Pick<PackedReader, 'minimum'> = { minimum: () => 0 };
const plain: Pick<PackedReader, 'scale' | 'minimum'> = { ...signed, scale: () => 1 };

/** The nibble of (row, column) in blocks of `blockBytes`, which begin with q4's 128 bytes of nibbles. */
function nibble(views: Views, group: number, row: number, column: number, blockBytes: number): number {
  const block = group + Math.floor(column / 32) * blockBytes;
  const inBlock = column % 32;
  const inHalf = inBlock % 16;
  const byte = views.u8[block + 32 * Math.floor(inHalf / 4) + 4 * row + (inHalf % 4)] as number;
  return inBlock < 16 ? byte % 16 : Math.floor(byte / 16);
}

/** bfloat16 by its definition: sign, exponent with bias 127, seven bits of mantissa; subnormal below exponent 1. */
function bf16ToNumber(bits: number): number {
  const exponent = (bits >> 7) & 255;
  const mantissa = (bits & 127) + (exponent === 0 ? 0 : 128);
  return (bits & 0x8000 ? -1 : 1) * mantissa * 2 ** (Math.max(exponent, 1) - 134);
}

/** One reader for each way to store a matrix. */
export const readers: Readonly<Record<QuantName, PackedReader>> = {
  f32: {
    ...plain,
    groupBytes: (columns) => columns * 32,
    element: (views, group, row, column) => readF32(views, group + column * 32 + row * 4),
  },
  bf16: {
    ...plain,
    groupBytes: (columns) => columns * 16,
    element: (views, group, row, column) => bf16ToNumber(views.u16[group / 2 + column * 8 + row] as number),
  },
  f16: {
    ...plain,
    groupBytes: (columns) => columns * 16,
    element: (views, group, row, column) => f16ToF32(views.u16[group / 2 + column * 8 + row] as number),
  },
  q8: {
    ...signed,
    groupBytes: (columns) => (columns / 32) * 272,
    element(views, group, row, column) {
      const block = group + Math.floor(column / 32) * 272;
      const inBlock = column % 32;
      return views.i8[block + 32 * Math.floor(inBlock / 4) + 4 * row + (inBlock % 4)] as number;
    },
    scale: (views, group, row, block) => f16ToF32(views.u16[(group + block * 272 + 256) / 2 + row] as number),
  },
  q4: {
    ...signed,
    groupBytes: (columns) => (columns / 32) * 144,
    element: (views, group, row, column) => nibble(views, group, row, column, 144) - 8,
    scale: (views, group, row, block) => f16ToF32(views.u16[(group + block * 144 + 128) / 2 + row] as number),
  },
  q4m: {
    groupBytes: (columns) => (columns / 32) * 160,
    element: (views, group, row, column) => nibble(views, group, row, column, 160),
    scale: (views, group, row, block) => f16ToF32(views.u16[(group + block * 160 + 128) / 2 + row] as number),
    minimum: (views, group, row, block) => f16ToF32(views.u16[(group + block * 160 + 144) / 2 + row] as number),
  },
};

import { present } from '../../../../base/index.js';
import { f16ToF32, quantOf, type QuantBlock, type QuantName } from '../../../../weights/index.js';
import { readF32, type Views } from './views.js';

/** Reads single elements of a packed matrix in the layout of `weights`. Addresses are those of a group of 8 rows. */
export interface PackedReader {
  /** The stored number of (row, column): the value itself, or the integer that `scale` multiplies. */
  element(views: Views, group: number, row: number, column: number): number;
  /** The scale of (row, block of 32 columns); 1 for floats. */
  scale(views: Views, group: number, row: number, block: number): number;
  /** The minimum added to each value of (row, block of 32 columns); 0 where integers are signed. */
  minimum(views: Views, group: number, row: number, block: number): number;
}

/** The unit of a bf16's mantissa, by its exponent with bias 127; subnormal below exponent 1. */
const bf16Units = Float64Array.from({ length: 256 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 134));

/** bfloat16 by its definition: sign, exponent, seven bits of mantissa. */
function bf16ToNumber(bits: number): number {
  const exponent = (bits >> 7) & 255;
  const mantissa = (bits & 127) + (exponent === 0 ? 0 : 128);
  return (bits & 0x8000 ? -1 : 1) * mantissa * (bf16Units[exponent] as number);
}

type ReadFloat = (views: Views, group: number, row: number, column: number) => number;

/** How a float of a group is read, by the names of quants that have no blocks. */
const floats: Readonly<Partial<Record<QuantName, ReadFloat>>> = {
  f32: (views, group, row, column) => readF32(views, group + column * 32 + row * 4),
  bf16: (views, group, row, column) => bf16ToNumber(views.u16[group / 2 + column * 8 + row] as number),
  f16: (views, group, row, column) => f16ToF32(views.u16[group / 2 + column * 8 + row] as number),
};

/** Reads integers as their quant describes its blocks. */
function createBlockReader(
  { columns: blockColumns, bytes, scales, minima, zeroPoint }: QuantBlock,
  bits: number,
): PackedReader {
  const half = (views: Views, at: number): number => f16ToF32(views.u16[at / 2] as number);
  return {
    element(views, group, row, column) {
      const block = group + Math.floor(column / blockColumns) * bytes;
      const inBlock = column % blockColumns;
      // Two nibbles share a byte: the columns of the first half of a block and those of the second.
      const numBytes = (blockColumns * bits) / 8;
      const at = inBlock % numBytes;
      const address = block + 32 * Math.floor(at / 4) + 4 * row + (at % 4);
      if (bits === 8) return (views.i8[address] as number) - zeroPoint;
      const byte = views.u8[address] as number;
      return (inBlock < numBytes ? byte % 16 : Math.floor(byte / 16)) - zeroPoint;
    },
    scale: (views, group, row, block) => half(views, group + block * bytes + scales + row * 2),
    minimum: (views, group, row, block) =>
      minima === undefined ? 0 : half(views, group + block * bytes + minima + row * 2),
  };
}

/** The reader of matrices stored as `quant`. */
export function createPackedReader(quant: QuantName): PackedReader {
  const { bits, block } = quantOf(quant);
  if (block !== undefined) return createBlockReader(block, bits);
  return {
    element: present(floats[quant], `${quant} is read as floats or by its blocks`),
    scale: () => 1,
    minimum: () => 0,
  };
}

/** Groups of 8 rows at an address as f32 [8, columns]; the last one stays, since its rows are asked for one after the other. */
export function createUnpacked(views: Views, quant: QuantName): (group: number, columns: number) => Float32Array {
  const { groupBytes, unpackGroup } = quantOf(quant);
  let bytes = new Uint8Array(0);
  let values = new Float32Array(0);
  return (group, columns) => {
    const current = views.u8.subarray(group, group + groupBytes(columns));
    if (bytes.length === current.length && Buffer.compare(bytes, current) === 0) return values;
    bytes = current.slice();
    values = new Float32Array(8 * columns);
    unpackGroup(bytes, columns, values);
    return values;
  };
}

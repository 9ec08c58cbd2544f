import { paddedColumns, paddedRows, ROWS_PER_GROUP } from './layout.js';
import { quants, type QuantName } from './quants/index.js';

/** Bytes of a packed matrix [rows, columns], both given unpadded. Exact up to 2^53. */
export function packedMatrixBytes(quant: QuantName, rows: number, columns: number): number {
  return (paddedRows(rows) / ROWS_PER_GROUP) * quants[quant].groupBytes(paddedColumns(columns));
}

/** Bytes of a stored vector: `length` f32, padded with zeros to whole groups, so that kernels may read eight at once. */
export function packedVectorBytes(length: number): number {
  return paddedRows(length) * 4;
}

/** f32 [rows, columns] row-major → the packed matrix. For tests and small matrices: the whole matrix is in memory. */
export function packMatrix(quant: QuantName, values: Float32Array, rows: number, columns: number): Uint8Array {
  const stored = paddedColumns(columns);
  const groupBytes = quants[quant].groupBytes(stored);
  const packed = new Uint8Array(packedMatrixBytes(quant, rows, columns));
  const group = new Float32Array(ROWS_PER_GROUP * stored);
  for (let first = 0; first < rows; first += ROWS_PER_GROUP) {
    group.fill(0);
    for (let row = first; row < Math.min(rows, first + ROWS_PER_GROUP); row++) {
      group.set(values.subarray(row * columns, (row + 1) * columns), (row - first) * stored);
    }
    const offset = (first / ROWS_PER_GROUP) * groupBytes;
    quants[quant].packGroup(group, stored, packed.subarray(offset, offset + groupBytes));
  }
  return packed;
}

/** The packed matrix → f32 [rows, columns] row-major, without padding. */
export function unpackMatrix(quant: QuantName, packed: Uint8Array, rows: number, columns: number): Float32Array {
  const stored = paddedColumns(columns);
  const groupBytes = quants[quant].groupBytes(stored);
  const values = new Float32Array(rows * columns);
  const group = new Float32Array(ROWS_PER_GROUP * stored);
  for (let first = 0; first < rows; first += ROWS_PER_GROUP) {
    const offset = (first / ROWS_PER_GROUP) * groupBytes;
    quants[quant].unpackGroup(packed.subarray(offset, offset + groupBytes), stored, group);
    for (let row = first; row < Math.min(rows, first + ROWS_PER_GROUP); row++) {
      const at = (row - first) * stored;
      values.set(group.subarray(at, at + columns), row * columns);
    }
  }
  return values;
}

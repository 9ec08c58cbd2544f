import { toErrorData, type ErrorData } from '../base/index.js';
import { quants, ROWS_PER_GROUP, type QuantName } from '../weights/index.js';

/** Rows to pack: f32 [numRows, columns], padded, and memory for the packed groups. */
export interface Batch {
  readonly quant: QuantName;
  readonly columns: number;
  readonly numRows: number;
  readonly rows: Float32Array;
  readonly out: Uint8Array;
}

/** Packs in place of `out`. Errors come back as data, for they may have to cross threads. */
export function packBatch({ quant, columns, numRows, rows, out }: Batch): ErrorData | null {
  const size = quants[quant].groupBytes(columns);
  try {
    for (let group = 0; group * ROWS_PER_GROUP < numRows; group++) {
      const floats = rows.subarray(group * ROWS_PER_GROUP * columns, (group + 1) * ROWS_PER_GROUP * columns);
      quants[quant].packGroup(floats, columns, out.subarray(group * size, (group + 1) * size));
    }
    return null;
  } catch (error) {
    return toErrorData(error);
  }
}

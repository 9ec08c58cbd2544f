import { assert, toErrorData, type ErrorData } from '../base/index.js';
import { quants, repackers, ROWS_PER_GROUP, type QuantName } from '../weights/index.js';

/**
 * Rows to pack, padded, and memory for the packed groups. `rows`: f32 [numRows, columns], or with `blocks` the rows as a
 * GGUF file stores them in blocks of that type.
 */
export interface Batch {
  readonly quant: QuantName;
  readonly columns: number;
  readonly numRows: number;
  readonly rows: Float32Array | Uint8Array;
  readonly blocks?: string;
  readonly out: Uint8Array;
}

/** Packs in place of `out`. Errors come back as data, for they may have to cross threads. */
export function packBatch(batch: Batch): ErrorData | null {
  const { quant, columns, numRows, out } = batch;
  const size = quants[quant].groupBytes(columns);
  const packGroup = groupPacker(batch);
  try {
    for (let group = 0; group * ROWS_PER_GROUP < numRows; group++) {
      packGroup(group, out.subarray(group * size, (group + 1) * size));
    }
    return null;
  } catch (error) {
    return toErrorData(error);
  }
}

function groupPacker({ quant, columns, rows, blocks }: Batch): (group: number, out: Uint8Array) => void {
  if (rows instanceof Float32Array) {
    const size = ROWS_PER_GROUP * columns;
    return (group, out) => quants[quant].packGroup(rows.subarray(group * size, (group + 1) * size), columns, out);
  }
  const repacker = repackers.get(blocks ?? '');
  assert(repacker?.quant === quant, `blocks of ${blocks} are stored as ${quant}`);
  const size = ROWS_PER_GROUP * repacker.rowBytes(columns);
  return (group, out) => repacker.repackGroup(rows.subarray(group * size, (group + 1) * size), columns, out);
}

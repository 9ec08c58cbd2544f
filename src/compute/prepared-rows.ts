/**
 * How the rows of a step lie that the bands of a matrix multiply: floats as they are, in whole rows; quantised band by band,
 * all rows of a band one behind the other, so that each band's product is one of a matrix of its own.
 */

import { paddedColumns, type QuantName } from '../weights/index.js';
import { isFloat } from './kernel-choice.js';
import { quantizedRowBytes } from './ops.js';

/** What is known of a band. */
interface Band {
  readonly quant: QuantName;
  readonly columns: number;
}

/** The rows of one band; bytes. */
export interface PreparedBand {
  /** Padded. */
  readonly columns: number;
  /** Where its columns begin in an f32 row. */
  readonly from: number;
  /** Where its first row begins behind that of the first band. */
  readonly offset: number;
  /** From row to row. */
  readonly stride: number;
}

/** The places of up to `rows` rows; `floatStride` is what f32 rows are apart. */
export function prepareBands(bands: readonly Band[], rows: number, floatStride: number): PreparedBand[] {
  let column = 0;
  let offset = 0;
  return bands.map(({ quant, columns }) => {
    const padded = paddedColumns(columns);
    const from = column * 4;
    column += padded;
    if (isFloat(quant)) return { columns: padded, from, offset: from, stride: floatStride };
    const stride = quantizedRowBytes(padded);
    const band = { columns: padded, from, offset, stride };
    offset += rows * stride;
    return band;
  });
}

/** Bytes of one row in all bands, if they are quantised. */
export function preparedRowBytes(bands: readonly Band[]): number {
  return prepareBands(bands, 1, 0).reduce((sum, { stride }) => sum + stride, 0);
}

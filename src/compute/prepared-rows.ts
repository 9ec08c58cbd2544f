/**
 * How the rows of a step lie that the bands of a matrix multiply: floats as they are, in whole rows; quantised band by band,
 * all rows of a band one behind the other, so that each band's product is one of a matrix of its own.
 */

import { paddedColumns, type QuantName } from '../weights/index.js';
import { isFloat } from './kernel-choice.js';
import { quantizedRowBytes } from './ops.js';

/** What is known of a band; all bands of a matrix have one quant. */
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
  return bands.map((band) => {
    const columns = paddedColumns(band.columns);
    const from = column * 4;
    column += columns;
    if (isFloat(band.quant)) return { columns, from, offset: from, stride: floatStride };
    const stride = quantizedRowBytes(columns);
    const at = offset;
    offset += rows * stride;
    return { columns, from, offset: at, stride };
  });
}

/** Bytes of one row in all bands: none where it stays as it is. */
export function preparedRowBytes(bands: readonly Band[]): number {
  const quantised = bands.filter(({ quant }) => !isFloat(quant));
  return quantised.reduce((sum, { columns }) => sum + quantizedRowBytes(paddedColumns(columns)), 0);
}

/**
 * The layout of a step's rows for the panels of a matrix. Floats stay in whole rows. Quantised rows are stored panel by
 * panel, all rows of a panel together. So each panel's product is one of a matrix of its own.
 */

import { paddedColumns, type QuantName } from '../../../../weights/index.js';
import { isFloat } from '../kernel-choice.js';
import { quantizedRowBytes } from '../kernel-interface.js';

/** Properties of a panel; all panels of a matrix have one quant. */
interface Panel {
  readonly quant: QuantName;
  readonly columns: number;
}

/** The rows of one panel; bytes. */
export interface PreparedPanel {
  /** Padded. */
  readonly columns: number;
  /** Start of its columns in an f32 row. */
  readonly from: number;
  /** Start of its first row, relative to that of the first panel. */
  readonly offset: number;
  /** From row to row. */
  readonly stride: number;
}

/** The places of up to `rows` rows; `floatStride` is what f32 rows are apart. */
export function preparePanels(panels: readonly Panel[], rows: number, floatStride: number): PreparedPanel[] {
  let column = 0;
  let offset = 0;
  return panels.map((panel) => {
    const columns = paddedColumns(panel.columns);
    const from = column * 4;
    column += columns;
    if (isFloat(panel.quant)) return { columns, from, offset: from, stride: floatStride };
    const stride = quantizedRowBytes(columns);
    const at = offset;
    offset += rows * stride;
    return { columns, from, offset: at, stride };
  });
}

/** Bytes of one row in all panels: none where it stays as it is. */
export function preparedRowBytes(panels: readonly Panel[]): number {
  const quantised = panels.filter(({ quant }) => !isFloat(quant));
  return quantised.reduce((sum, { columns }) => sum + quantizedRowBytes(paddedColumns(columns)), 0);
}

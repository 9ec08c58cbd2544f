// Decides which columns of a table are drawn, and their widths.

/** The sizes of a column. Widths are in rem. */
export interface ColumnSize {
  readonly width: number;
  /** The width in a narrow table, which shows the most important columns first. Absent: `width`. */
  readonly narrow?: number;
  /** True: a wide table without enough space leaves the column out. */
  readonly isExtra?: boolean;
}

/** The columns in order with their widths, and the total width. */
export interface FittedColumns<T> {
  readonly columns: readonly (T & { readonly width: number })[];
  readonly widthRem: number;
  readonly isNarrow: boolean;
}

/** Tables narrower than this scroll sideways. In rem. */
const NARROW_REM = 40;

/**
 * Chooses the columns. A wide table leaves out extra columns, from the last on, until the others fit. A narrow one has
 * all columns and scrolls, with the first ones visible. A width of 0 is not measured yet.
 */
export function fitColumns<T extends ColumnSize>(columns: readonly T[], widthRem: number): FittedColumns<T> {
  const isNarrow = widthRem > 0 && widthRem < NARROW_REM;
  const fitted = columns.map((column) => ({
    ...column,
    width: (isNarrow ? column.narrow : undefined) ?? column.width,
  }));
  while (!isNarrow && widthRem > 0 && sumOf(fitted) > widthRem) {
    const last = fitted.findLastIndex(({ isExtra }) => isExtra === true);
    if (last === -1) break;
    fitted.splice(last, 1);
  }
  return { columns: fitted, widthRem: sumOf(fitted), isNarrow };
}

function sumOf(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0);
}

// Which columns of a table are drawn, and how wide they are.

/** What is known of a column. Widths are in rem. */
export interface ColumnSize {
  readonly width: number;
  /** In a narrow table, where those that matter most stand beside each other. Absent: `width`. */
  readonly narrow?: number;
  /** Left out of a wide table that has no space for it. */
  readonly isExtra?: boolean;
}

/** The columns in their order, each with its width, and the width that all have together. */
export interface FittedColumns<T> {
  readonly columns: readonly (T & { readonly width: number })[];
  readonly widthRem: number;
  readonly isNarrow: boolean;
}

/** Narrower tables than this scroll sideways, in rem. */
const NARROW_REM = 40;

/**
 * A wide table leaves out extra columns, from the last on, until the others fit. A narrow one has all columns and scrolls, the
 * first ones in sight. A width of 0 was not measured yet.
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

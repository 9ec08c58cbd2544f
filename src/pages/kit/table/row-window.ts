// Which rows of a long table are drawn: those that are seen, and a few around them.

/** Rows that are drawn beyond what is seen, at each end. */
const MORE_ROWS = 8;

/** The first row that is drawn, and the one after the last. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Rows of `rowHeight` pixels in a window of `height`, scrolled by `top`. A window that was not measured has a screenful. */
export function windowOf(count: number, top: number, height: number, rowHeight: number): RowWindow {
  const seen = Math.ceil((height > 0 ? height : 900) / rowHeight);
  const start = Math.min(Math.floor(Math.max(0, top) / rowHeight), Math.max(0, count - seen));
  return { first: Math.max(0, start - MORE_ROWS), end: Math.min(count, start + seen + MORE_ROWS) };
}

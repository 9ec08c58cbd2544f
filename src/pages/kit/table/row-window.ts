// Decides which rows of a long table are drawn: the visible ones, and a few around them.

/** Additional rows drawn beyond each end of the visible ones. */
const MORE_ROWS = 8;

/** The first drawn row, and the row after the last. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/**
 * The rows of `rowHeight` pixels in a window of `height`, scrolled by `top`. An unmeasured window counts as 900 pixels.
 */
export function windowOf(count: number, top: number, height: number, rowHeight: number): RowWindow {
  const seen = Math.ceil((height > 0 ? height : 900) / rowHeight);
  const start = Math.min(Math.floor(Math.max(0, top) / rowHeight), Math.max(0, count - seen));
  return { first: Math.max(0, start - MORE_ROWS), end: Math.min(count, start + seen + MORE_ROWS) };
}

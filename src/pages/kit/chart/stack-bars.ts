// Stacks the bars of all series in one step. Heights follow the values, and every value that is not zero is visible.

/** The least height of a value that is not zero, in pixels. */
export const MIN_BAR = 2;
/** The share of a step that its bar fills, and the greatest width in pixels. */
const [SHARE, WIDEST] = [0.8, 40];

/** A rectangle, in pixels from the left and from the bottom. */
export interface BarBox {
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** The geometry of bars, in pixels. */
export interface BarPlace {
  /** The middle of a step, by index. */
  readonly middle: (index: number) => number;
  /** The width of one step. */
  readonly stepWidth: number;
  /** The height of a value. */
  readonly heightOf: (value: number) => number;
  /** Canvas pixels per page pixel. */
  readonly ratio: number;
}

/** The bars of row `row`, stacked on those of the previous rows. Steps without a value have no bar. */
export function stackBars(rows: readonly (readonly (number | null)[])[], row: number, place: BarPlace): BarBox[] {
  const { middle, stepWidth, heightOf, ratio } = place;
  const width = Math.min(WIDEST * ratio, Math.max(MIN_BAR * ratio, stepWidth * SHARE));
  const high = (value: number | null | undefined): number =>
    value === null || value === undefined || value <= 0 ? 0 : Math.max(MIN_BAR * ratio, heightOf(value));
  return (rows[row] ?? []).flatMap((value, i) => {
    const height = high(value);
    if (height === 0) return [];
    const bottom = rows.slice(0, row).reduce((sum, below) => sum + high(below[i]), 0);
    return [{ left: middle(i) - width / 2, bottom, width, height }];
  });
}

/** The highest sum of one step. */
export function highestStack(rows: readonly (readonly (number | null)[])[]): number {
  const sums = (rows[0] ?? []).map((_, i) => rows.reduce((sum, row) => sum + Math.max(0, row[i] ?? 0), 0));
  return sums.reduce((top, sum) => Math.max(top, sum), 0);
}

/** The indexes of isolated values, where a line has no length. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isThere = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []));
}

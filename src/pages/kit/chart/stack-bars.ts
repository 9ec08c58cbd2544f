// Bars upon each other: of one step all series, each as high as its value says, and none that has a value is left out.

/** A value that is not zero is at least so high, in pixels. */
export const MIN_BAR = 2;
/** The part of a step that its bar takes, and the widest one, in pixels. */
const [SHARE, WIDEST] = [0.8, 40];

/** A rectangle, in pixels from the left and from the bottom. */
export interface BarBox {
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** Where bars are drawn, in pixels. */
export interface BarPlace {
  /** Of the middle of a step, by its index. */
  readonly middle: (index: number) => number;
  /** Of one step. */
  readonly stepWidth: number;
  /** How high a value is. */
  readonly heightOf: (value: number) => number;
  /** Pixels of the canvas to a pixel of the page. */
  readonly ratio: number;
}

/** The bars of row `row` upon those of the rows before it. Steps without a value have none. */
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

/** The places of values with none beside them: a line has no length there. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isThere = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []));
}

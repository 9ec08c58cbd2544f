/**
 * Wide matrices that add to the residual stream are stored in panels of columns, each a matrix of its own. They are a
 * layer's output and down projections. The activations that several rows read of a wide matrix do not stay in the
 * first-level cache beside the streaming weights. A core that misses there for its activations no longer streams
 * weights from memory: four rows of 5,632 columns ran at 55 to 75 % of their speed in panels (bench/log/kernels.md,
 * 'Panels'). Other matrices stay whole: a gate needs whole sums, and wider queries, keys, values or output matrices
 * were not measured.
 */

import { alignUp } from '../base/index.js';

/** Some columns of a wide matrix. */
export interface ColumnPanel {
  readonly name: string;
  /** The first of its columns in the whole matrix, a multiple of 256. */
  readonly start: number;
  readonly columns: number;
}

/** A matrix of up to so many columns stays whole: four rows of activations and eight of weights in q4 fill a cache of 32 KiB. */
const WHOLE_COLUMNS = 3072;
/** Panels are multiples of this: the largest block of a quant. */
const UNIT = 256;
/** Columns of a panel, about: four rows of them take a third of that cache. */
const PANEL_COLUMNS = 2048;

/** The names of its panels. */
export function panelNames(name: string, columns: number): readonly string[] {
  return columnPanels(name, columns).map((panel) => panel.name);
}

/** The panels of a matrix of `columns`; one that stays whole keeps its name. */
export function columnPanels(name: string, columns: number): readonly ColumnPanel[] {
  if (columns <= WHOLE_COLUMNS) return [{ name, start: 0, columns }];
  const width = alignUp(columns / Math.ceil(columns / PANEL_COLUMNS), UNIT);
  return Array.from({ length: Math.ceil(columns / width) }, (_, panel) => ({
    name: `${name}.${panel}`,
    start: panel * width,
    columns: Math.min(width, columns - panel * width),
  }));
}

/**
 * Which tensors of a checkpoint make which matrices of the artifact, row by row. Parts of a decoder (`parts/`) write their
 * entries; matrices that are wide are cut into panels (column-panels.ts).
 */

import { columnPanels } from './column-panels.js';

/** `count` rows (elements of a vector) of a checkpoint tensor from `start` on; null: zeros. */
export interface RowSource {
  readonly tensor: string | null;
  readonly start: number;
  readonly count: number;
}

/** One tensor of the artifact. rows and columns are true sizes; a vector has `rows` elements and one column. */
export interface WeightSpec {
  readonly name: string;
  readonly kind: 'matrix' | 'vector';
  /** Embedding and output keep 8 bits when the layers have 4. */
  readonly role: 'embedding' | 'output' | 'layer';
  readonly rows: number;
  readonly columns: number;
  /** Start of these columns in the rows of the checkpoint's tensors, and the number of columns there. */
  readonly columnStart: number;
  readonly sourceColumns: number;
  readonly sources: readonly RowSource[];
  /** Addend of the checkpoint's numbers. */
  readonly offset: number;
}

/** All rows of a checkpoint's tensor. */
export function allRows(tensor: string, count: number): RowSource {
  return { tensor, start: 0, count };
}

/** A matrix of the artifact. */
export function matrix(name: string, role: WeightSpec['role'], columns: number, sources: RowSource[]): WeightSpec {
  const rows = countRows(sources);
  return { name, kind: 'matrix', role, rows, columns, columnStart: 0, sourceColumns: columns, sources, offset: 0 };
}

/** The panels of a layer's matrix, which adds to the residual stream. */
export function panels(name: string, sourceColumns: number, source: RowSource): WeightSpec[] {
  return columnPanels(name, sourceColumns).map((panel) => ({
    ...matrix(panel.name, 'layer', panel.columns, [source]),
    columnStart: panel.start,
    sourceColumns,
  }));
}

/** A vector of the artifact: the checkpoint's numbers plus `offset`. */
export function vector(name: string, sources: RowSource[], offset = 0): WeightSpec {
  const rows = countRows(sources);
  return { name, kind: 'vector', role: 'layer', rows, columns: 1, columnStart: 0, sourceColumns: 1, sources, offset };
}

function countRows(sources: readonly RowSource[]): number {
  return sources.reduce((sum, source) => sum + source.count, 0);
}

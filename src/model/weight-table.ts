/**
 * Which tensors of a checkpoint make which matrices of the artifact, row by row. Parts of a decoder (`parts/`) write their
 * entries; matrices that are wide are cut into panels (column-panels.ts).
 */

import { alignUp } from '../base/index.js';
import { ROWS_PER_GROUP } from '../weights/index.js';
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
  /** Embedding and output keep 8 bits when the layers have 4; what chooses experts stays as floats. */
  readonly role: 'embedding' | 'output' | 'layer' | 'router';
  readonly rows: number;
  readonly columns: number;
  /** Start of these columns in the rows of the checkpoint's tensors, and the number of columns there. */
  readonly columnStart: number;
  readonly sourceColumns: number;
  readonly sources: readonly RowSource[];
  /**
   * Set: so many sources each, of equal length, give groups of `ROWS_PER_GROUP` rows in turns, and zeros fill the last group
   * of each. Absent: one source follows the other.
   */
  readonly inTurns?: number;
  /** Addend of the checkpoint's numbers. */
  readonly offset: number;
  /** The checkpoint's shape of a vector that has more than one dimension there; dimensions of 1 may stand anywhere. */
  readonly shape?: readonly number[];
}

/** All rows of a checkpoint's tensor. */
export function allRows(tensor: string, count: number): RowSource {
  return { tensor, start: 0, count };
}

/** A matrix of the artifact. */
export function matrix(
  name: string,
  role: WeightSpec['role'],
  columns: number,
  sources: RowSource[],
  inTurns?: number,
): WeightSpec {
  const rows = countRows(sources, inTurns);
  const turns = inTurns !== undefined && { inTurns };
  return {
    name,
    kind: 'matrix',
    role,
    rows,
    columns,
    columnStart: 0,
    sourceColumns: columns,
    sources,
    offset: 0,
    ...turns,
  };
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
export function vector(name: string, sources: RowSource[], offset = 0, inTurns?: number): WeightSpec {
  return { ...matrix(name, 'layer', 1, sources, inTurns), kind: 'vector', offset };
}

function countRows(sources: readonly RowSource[], inTurns: number | undefined): number {
  const rowsOf = ({ count }: RowSource): number => (inTurns === undefined ? count : alignUp(count, ROWS_PER_GROUP));
  return sources.reduce((sum, source) => sum + rowsOf(source), 0);
}

/** Rows [first, first + count) of a tensor of the artifact, as stretches of single tensors of the checkpoint. */
export function rowSources(
  { sources, inTurns }: Pick<WeightSpec, 'sources' | 'inTurns'>,
  first: number,
  count: number,
): readonly RowSource[] {
  const slices: RowSource[] = [];
  const end = first + count;
  let position = 0;
  const take = ({ tensor, start, count: length }: RowSource): void => {
    const [from, to] = [Math.max(first, position), Math.min(end, position + length)];
    if (from < to) slices.push({ tensor, start: tensor === null ? 0 : start + from - position, count: to - from });
    position += length;
  };
  const step = inTurns ?? 1;
  for (let at = 0; at < sources.length && position < end; at += step) {
    const together = sources.slice(at, at + step);
    const rows = countRows(together, inTurns);
    // A fused matrix has many sources, and each batch walks all that precede its own.
    if (position + rows <= first) position += rows;
    else if (inTurns === undefined) together.forEach(take);
    else groupsInTurns(together).forEach(take);
  }
  return slices;
}

/** A group of rows of each source, then the next of each; zeros fill the last groups. */
function groupsInTurns(sources: readonly RowSource[]): RowSource[] {
  const longest = Math.max(...sources.map(({ count }) => count));
  const groups: RowSource[] = [];
  for (let done = 0; done < longest; done += ROWS_PER_GROUP) {
    for (const { tensor, start, count } of sources) {
      const rows = Math.min(ROWS_PER_GROUP, count - done);
      groups.push({ tensor, start: start + done, count: rows });
      if (rows < ROWS_PER_GROUP) groups.push({ tensor: null, start: 0, count: ROWS_PER_GROUP - rows });
    }
  }
  return groups;
}

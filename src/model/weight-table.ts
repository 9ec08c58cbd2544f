/**
 * Which tensors of a checkpoint make which tensors of the graph, row by row. Parts of a decoder (`parts/`) write their
 * entries. How a device stores them is its own affair (`WeightLayout`).
 */

import type { ModelTensor } from '../compute/index.js';

/** `count` rows (elements of a vector) of a checkpoint tensor from `start` on. */
export interface RowSource {
  readonly tensor: string;
  readonly start: number;
  readonly count: number;
}

/** One tensor of the graph, and its rows in a checkpoint. */
export interface WeightSpec extends ModelTensor {
  /** Embedding and output keep 8 bits when the layers have 4; what chooses experts stays as floats. */
  readonly role: 'embedding' | 'output' | 'layer' | 'router';
  /** One follows the other; those of one expert are equal in length to those of any other. */
  readonly sources: readonly RowSource[];
  /** Addend of the checkpoint's numbers. */
  readonly offset: number;
  /** The checkpoint's shape of a vector that has more than one dimension there; dimensions of 1 may stand anywhere. */
  readonly shape?: readonly number[];
}

/** All rows of a checkpoint's tensor. */
export function allRows(tensor: string, count: number): RowSource {
  return { tensor, start: 0, count };
}

/** A matrix of the graph. */
export function matrix(name: string, role: WeightSpec['role'], columns: number, sources: RowSource[]): WeightSpec {
  const rows = sources.reduce((sum, { count }) => sum + count, 0);
  return { name, kind: 'matrix', role, rows, columns, sources, offset: 0 };
}

/** The matrices of a layer's experts as one, each all `rows` of a checkpoint's tensor. */
export function expertMatrix(name: string, columns: number, rows: number, tensors: readonly string[]): WeightSpec {
  const sources = tensors.map((tensor) => allRows(tensor, rows));
  return { ...matrix(name, 'layer', columns, sources), experts: tensors.length };
}

/** A vector of the graph: the checkpoint's numbers plus `offset`. */
export function vector(name: string, sources: RowSource[], offset = 0): WeightSpec {
  return { ...matrix(name, 'layer', 1, sources), kind: 'vector', offset };
}

/** Rows [first, first + count) of a tensor of the graph, as stretches of single tensors of the checkpoint. */
export function rowSources(
  { sources }: Pick<WeightSpec, 'sources'>,
  first: number,
  count: number,
): readonly RowSource[] {
  let position = 0;
  return sources.flatMap(({ tensor, start, count: length }) => {
    const [from, to] = [Math.max(first, position), Math.min(first + count, position + length)];
    const slice = { tensor, start: start + from - position, count: to - from };
    position += length;
    return from < to ? [slice] : [];
  });
}

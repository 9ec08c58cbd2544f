/**
 * The layout of weights for the kernels: groups of eight rows (README of `weights`), one after the other. It differs from
 * the graph's matrices in two ways.
 *
 * Gate and up are one tensor, in turns of a group of rows. So the product of the two needs no op of its own.
 *
 * Wide matrices that add to the residual stream are stored in panels of columns, each a tensor of its own. They are a
 * layer's output and down projections. The activations that several rows read of a wide matrix do not stay in the
 * first-level cache beside the streaming weights. A core that misses there for its activations no longer streams
 * weights from memory: four rows of 5,632 columns ran at 55 to 75 % of their speed in panels (bench/log/kernels.md,
 * 'Panels'). Other matrices stay whole: a gate needs whole sums, and wider queries, keys, values or output matrices
 * were not measured.
 */

import { alignUp, present } from '../../../base/index.js';
import {
  packedMatrixBytes,
  packedVectorBytes,
  packMatrix,
  paddedRows,
  ROWS_PER_GROUP,
  unpackMatrix,
} from '../../../weights/index.js';
import { floatsOf, type ModelTensor, type RowSlice, type StoredTensor, type WeightLayout } from '../../layout.js';
import type { Op } from '../../ops/index.js';
import { packAll } from './packing/pack-tensor.js';

export const cpuLayout: WeightLayout = {
  name: 'cpu-panels-1',
  arrange: ({ ops }, tensors) => arrange(ops, tensors),
  bytes: ({ kind, quant, rows, columns }) =>
    kind === 'vector' ? packedVectorBytes(rows) : packedMatrixBytes(quant, rows, columns),
  rows: rowSlices,
  pack({ kind, quant, columns }, rows, first, packed) {
    if (kind === 'vector') floatsOf(packed).set(rows, first);
    else packed.set(packMatrix(quant, rows, rows.length / columns, columns), packedMatrixBytes(quant, first, columns));
  },
  unpack({ kind, quant, columns }, packed, first, rows) {
    if (kind === 'vector') return rows.set(floatsOf(packed).subarray(first, first + rows.length));
    const group = packed.subarray(packedMatrixBytes(quant, first, columns));
    rows.set(unpackMatrix(quant, group, rows.length / columns, columns));
  },
  packAll: (tensors, source, take) => packAll(cpuLayout, tensors, source, take),
};

function arrange(ops: readonly Op[], tensors: readonly ModelTensor[]): readonly StoredTensor[] {
  const pairs = new Map(ops.flatMap(pairsOf).flatMap((pair) => pair.map((name) => [name, pair] as const)));
  const residual = new Set(ops.flatMap(residualMatrix));
  return tensors.flatMap((tensor) => {
    const { name, columns } = tensor;
    const pair = pairs.get(name);
    if (pair !== undefined) return pair[0] === name ? [toStored(tensor, pair)] : [];
    if (!residual.has(name)) return [toStored(tensor)];
    return columnPanels(name, columns).map(({ start, ...panel }) => {
      return { ...toStored(tensor), ...panel, columnStart: start };
    });
  });
}

/** Tensors that are stored as one, in turns of a group of rows: gates before their factors. */
function pairsOf(op: Op): (readonly [string, string])[] {
  if (op.op === 'experts') return [[op.gate, op.up]];
  if (op.op !== 'linear' || op.gate === undefined) return [];
  const { gate, weight, bias } = op;
  const biases = gate.bias !== undefined && bias !== undefined ? [[gate.bias, bias] as const] : [];
  return [[gate.weight, weight], ...biases];
}

/** The matrix of a product that adds to the residual stream. */
function residualMatrix(op: Op): string[] {
  const isResidual = op.op === 'linear' && op.gate === undefined && ['hidden', 'branch'].includes(op.output);
  return isResidual ? [op.weight] : [];
}

/** A tensor in whole columns; `of`: those whose rows take turns. */
function toStored({ name, kind, rows, columns, experts }: ModelTensor, of: readonly string[] = [name]): StoredTensor {
  const [gate, up] = of;
  if (up === undefined && experts === undefined) return { name, kind, rows, columns, of, columnStart: 0 };
  const turnRows = rows / (experts ?? 1);
  return {
    name: up === undefined ? name : pairName(name, up),
    kind,
    rows: (experts ?? 1) * of.length * paddedRows(turnRows),
    columns,
    of: up === undefined ? [name] : [present(gate, 'a pair has a gate'), up],
    columnStart: 0,
    turnRows,
  };
}

/** `layers.0.gateUpBias` of `layers.0.gateBias` and `layers.0.upBias`. */
function pairName(gate: string, up: string): string {
  let start = 0;
  while (start < up.length && gate[start] === up[start]) start++;
  let end = 0;
  while (end < up.length - start && gate.at(-1 - end) === up.at(-1 - end)) end++;
  const own = up.slice(start, up.length - end);
  return `${gate.slice(0, gate.length - end)}${own.slice(0, 1).toUpperCase()}${own.slice(1)}${up.slice(up.length - end)}`;
}

/** Some columns of a wide matrix. */
interface ColumnPanel {
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

/** A group of rows of each tensor, then the next of each; zeros fill the last groups of an expert. */
function rowSlices({ of, rows, turnRows }: StoredTensor, first: number, count: number): readonly RowSlice[] {
  const end = Math.min(rows, first + count);
  if (turnRows === undefined) return [{ tensor: of[0] ?? null, start: first, count: end - first }];
  const slices: { tensor: string | null; start: number; count: number }[] = [];
  const add = (tensor: string | null, start: number, length: number): void => {
    const last = slices.at(-1);
    if (last !== undefined && last.tensor === tensor && last.start + last.count === start) last.count += length;
    else if (length > 0) slices.push({ tensor, start, count: length });
  };
  const groups = paddedRows(turnRows) / ROWS_PER_GROUP;
  for (let group = first / ROWS_PER_GROUP; group < end / ROWS_PER_GROUP; group++) {
    const turn = Math.floor(group / of.length);
    const start = (turn % groups) * ROWS_PER_GROUP;
    const used = Math.min(ROWS_PER_GROUP, turnRows - start);
    add(of[group % of.length] ?? null, Math.floor(turn / groups) * turnRows + start, used);
    add(null, 0, ROWS_PER_GROUP - used);
  }
  return slices;
}

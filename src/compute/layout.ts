/**
 * How a device stores a model's weights. The graph and the weight table name plain matrices. A layout says which
 * tensors of an artifact hold them, in which order of rows, and in how many bytes.
 */

import type { QuantName } from '../weights/index.js';
import type { ComputeGraph } from './compute-graph.js';

/** A tensor as a model's graph names it. */
export interface ModelTensor {
  readonly name: string;
  readonly kind: 'matrix' | 'vector';
  /** Of all experts, one after the other. */
  readonly rows: number;
  readonly columns: number;
  /** Experts whose matrices these are, of equal size each; absent: one matrix. */
  readonly experts?: number;
}

/** A tensor as a device stores it. rows and columns are true sizes; a vector has `rows` elements and one column. */
export interface StoredTensor {
  readonly name: string;
  readonly kind: 'matrix' | 'vector';
  readonly rows: number;
  readonly columns: number;
  /** The model's tensors whose rows it holds: one, or several of equal size in turns. */
  readonly of: readonly string[];
  /** The first of its columns in theirs. */
  readonly columnStart: number;
  /** Rows of one expert of each, where they take turns or zeros follow those of an expert. */
  readonly turnRows?: number;
}

/** A stored tensor with the way in which its numbers are stored. */
export interface PlannedTensor extends StoredTensor {
  readonly quant: QuantName;
}

/** Rows [start, start + count) of a tensor of the model; null: zeros. */
export interface RowSlice {
  readonly tensor: string | null;
  readonly start: number;
  readonly count: number;
}

/** Memory for rows: floats, or bytes in the file's format. */
export interface Cells<T> {
  readonly length: number;
  subarray(start: number, end?: number): T;
  set(from: T, at: number): void;
  fill(value: number): unknown;
}

/** Rows of the tensors that a graph names, from a file. Errors: those of reading. */
export interface ModelRows {
  /** Fills the front of `out` with `count` rows from `start` on: f32 [count, columns]. */
  readFloats(name: string, start: number, count: number, out: Float32Array): Promise<void>;
  /** The type of the file's blocks, where a tensor is of one type and can be read in blocks. */
  blocksOf(name: string): string | undefined;
  /** Fills the front of `out` with the blocks of `count` rows from `start` on. */
  readBlocks(name: string, start: number, count: number, out: Uint8Array): Promise<void>;
}

/** Takes a packed tensor. Its bytes come in `pieces`, each used before the next is requested. */
export type TakePacked = (tensor: PlannedTensor, pieces: AsyncIterable<Uint8Array>) => Promise<void>;

/** A device's way to store weights. */
export interface WeightLayout {
  /** In manifests of artifacts; another name for every change of order or bytes. */
  readonly name: string;
  /** The stored tensors that hold a model's `tensors`, in the order of these. */
  arrange(graph: ComputeGraph, tensors: readonly ModelTensor[]): readonly StoredTensor[];
  /** Bytes of a stored tensor. */
  bytes(tensor: Pick<PlannedTensor, 'kind' | 'quant' | 'rows' | 'columns'>): number;
  /** The rows [first, first + count) of a stored tensor; `first` is a multiple of 8. */
  rows(tensor: StoredTensor, first: number, count: number): readonly RowSlice[];
  /** f32 [count, columns], rows from `first` on, into the bytes of their tensor; `first` is a multiple of 8. Errors: `weight_overflow`. */
  pack(tensor: PlannedTensor, rows: Float32Array, first: number, packed: Uint8Array): void;
  /** The reverse; `rows` is filled. */
  unpack(tensor: PlannedTensor, packed: Uint8Array, first: number, rows: Float32Array): void;
  /** Packs all tensors of a model, one after the other. Errors: those of `source` and `take`, `weight_overflow`. */
  packAll(tensors: readonly PlannedTensor[], source: ModelRows, take: TakePacked): Promise<void>;
}

/** A tensor of floats, in place. */
export function floatsOf(packed: Uint8Array): Float32Array {
  return new Float32Array(packed.buffer, packed.byteOffset, packed.length / Float32Array.BYTES_PER_ELEMENT);
}

/**
 * The operations of a set of kernels, the building blocks of fused ops. Each works on one memory segment and on a range
 * of rows, groups or heads, so a thread group can split it. None allocates. Pointers are byte offsets in the segment,
 * strides are bytes. `[…]` are shapes; f32 rows are padded with zeros to a multiple of 32 columns.
 *
 * - packed matrix: groups of 8 rows as `weights` packs them; columns (padded) are a multiple of 32.
 * - quantised row, see `quantizedRowBytes`: int8 [columns], f32 scale [columns / 32], i32 offset [columns / 32], i16
 * [columns / 16][2]. Then room for 16 f32 sums of a matmul, of no meaning afterwards. An offset is −8 times the sum of
 * the int8 values. The i16 are −8 times the sums of the first two and of the last two of each four columns, over 16
 * columns. scale = max|x| / 127 of the block, value = round half away from zero (x / scale).
 * - KV block of one layer: `KV_BLOCK_TOKENS` tokens, KV head after KV head; see `kvHeadBytes` for the inside.
 */

import { alignUp } from '../../../base/index.js';
import { KV_BLOCK_TOKENS, type KvFormat } from '../../kv-block.js';
import type { KernelSuffix } from '../../../weights/index.js';

/**
 * A matmul's use of a result: store it, add it to the present value, or activation(even group) · odd group. The
 * activation is silu or gelu, x · (1 + tanh(√(2 / π) (x + 0.044715 x³))) / 2.
 */
export const EPILOGUE = { store: 0, add: 1, siluGate: 2, geluGate: 3 } as const;

/** Whether an epilogue takes groups of 8 outputs in pairs. */
export function isGate(epilogue: number): boolean {
  return epilogue >= EPILOGUE.siluGate;
}

/** Bytes of one quantised row of `columns` (a multiple of 32) values. */
export function quantizedRowBytes(columns: number): number {
  return alignUp(columns + columns / 2 + 64, 16);
}

/** Scratch that one thread needs in `matmul…`: two groups, unpacked to 16 bits at most, with scales and minima; a few rows, widened. */
export function matmulScratchBytes(columns: number): number {
  return (columns / 32) * 1344 + 2048;
}

/**
 * Bytes of one KV head in one block.
 * - f32: K [4 groups of 8 tokens][headDim][8 tokens], V [32 tokens][headDim].
 * - q8, keys: int8 + 128 as bytes [headDim / 4][32 tokens][4 dims], scale f32 [ceil(headDim / 32)][32 tokens].
 * - q8, values: int8 [16][headDim][2], token t and t + 16 together, scale f32 [ceil(headDim / 32)][32 tokens].
 * A q8 scale covers one token and 32 dims.
 */
export function kvHeadBytes(format: KvFormat, headDim: number): number {
  if (format === 'f32') return 2 * KV_BLOCK_TOKENS * headDim * 4;
  return 2 * KV_BLOCK_TOKENS * (headDim + Math.ceil(headDim / 32) * 4);
}

/** Queries (heads of rows) that an attention kernel takes together, unless one row has more heads. */
const ATTENTION_TILE = 32;

/** Scratch that one thread needs in `attention…`, for a group of `groupSize` query heads. */
export function attentionScratchBytes(groupSize: number, headDim: number): number {
  const queries = alignUp(Math.max(groupSize, ATTENTION_TILE), 4);
  // Scores, whole weights and their unit, sums, stats and bounds, the quantised query with its scales; then a range, a
  // block's scales and a word.
  const each = KV_BLOCK_TOKENS * 6 + 4 + headDim * 4 + 24 + headDim + Math.ceil(headDim / 32) * 8;
  return alignUp(queries * each, 16) + 16 + KV_BLOCK_TOKENS * 4 + 16;
}

/** out[row] = table[tokenIds[row]] · scale, for rows [rowStart, rowEnd). Padding columns become zero. */
export type Embed = (
  out: number,
  outStride: number,
  table: number,
  columns: number,
  tokenIds: number,
  rowStart: number,
  rowEnd: number,
  scale: number,
) => void;

/**
 * out[row, group] = x[row] · weights[group]ᵀ (+ bias[group]) for rows [0, rows) and groups of 8 outputs
 * [groupStart, groupEnd), then the epilogue. With a gate group bounds are even and the outputs of groups
 * (2i, 2i + 1) land in group i. `bias` 0 is none. A row's result does not depend on `rows` or on the range.
 * x: f32 rows for f32, bf16 and f16 weights; quantised rows for the others. scratch: matmulScratchBytes(columns).
 */
export type Matmul = (
  out: number,
  outStride: number,
  x: number,
  xStride: number,
  weights: number,
  columns: number,
  rows: number,
  groupStart: number,
  groupEnd: number,
  bias: number,
  epilogue: number,
  scratch: number,
) => void;

/** Writes K and V of kv head `kvHead` of each row into the cache. `key`, `value`: pointers to row 0's head. slots: i32 [rows] = block · 32 + place. */
export type StoreKv = (
  cache: number,
  blockBytes: number,
  kvHead: number,
  headDim: number,
  key: number,
  value: number,
  xStride: number,
  slots: number,
  rowStart: number,
  rowEnd: number,
) => void;

/**
 * Attention of the `groupSize` query heads that share kv head `kvHead`, for rows [rowStart, rowEnd).
 * query, out: pointers to the first of these heads in row 0; heads lie one after the other.
 * Row r belongs to sequence sequences[r] (i32), whose block ids are blockTables + sequences[r] · tableStride (i32). It
 * sees the tokens max(0, positions[r] − window + 1) … positions[r]; window 0 is no window. A score s becomes
 * softCap · tanh(s / softCap); 0: it stays. sinks: f32 [groupSize], a score beside a head's tokens, without a value; 0: none.
 * Online softmax over whole blocks in order, so a row's result does not depend on the other rows. Over a q8 cache a
 * token's weight times the scale of its values is rounded to 1/32,767 of the greatest such product in its block.
 */
export type Attention = (
  out: number,
  outStride: number,
  query: number,
  xStride: number,
  cache: number,
  blockBytes: number,
  kvHead: number,
  groupSize: number,
  headDim: number,
  blockTables: number,
  tableStride: number,
  sequences: number,
  positions: number,
  rowStart: number,
  rowEnd: number,
  window: number,
  scale: number,
  softCap: number,
  sinks: number,
  scratch: number,
) => void;

/**
 * norm(x) = x / sqrt(mean(x²) + eps) · weight over `columns` true columns of each row, f32. The padding of `out` is left alone.
 */
export type Norm = (
  out: number,
  outStride: number,
  x: number,
  xStride: number,
  weight: number,
  columns: number,
  rowStart: number,
  rowEnd: number,
  eps: number,
) => void;

/** The kernels that read weights: two for each quant. */
export type MatrixKernels = { readonly [Name in `embed${KernelSuffix}`]: Embed } & {
  readonly [Name in `matmul${KernelSuffix}`]: Matmul;
};

/** All operations, by name. The reference is the slow twin of every other device. */
export interface Kernels extends MatrixKernels {
  /** out[row] = norm(x[row]). */
  readonly rmsNorm: Norm;
  /** out[row] += norm(x[row]). */
  readonly addNorm: Norm;
  /** x = cap · tanh(x / cap), in place, for `count` f32 from `x` on, a multiple of 4. */
  readonly softCap: (x: number, count: number, cap: number) => void;
  /** f32 rows → quantised rows; `columns` padded to 32. */
  readonly quantizeRows: (
    out: number,
    outStride: number,
    x: number,
    xStride: number,
    columns: number,
    rowStart: number,
    rowEnd: number,
  ) => void;
  /** out[i] = x[rowIndices[i]] (i32 indices), `columns` f32 of each, for i in [0, count). */
  readonly gatherRows: (
    out: number,
    outStride: number,
    x: number,
    xStride: number,
    rowIndices: number,
    columns: number,
    count: number,
  ) => void;

  /**
   * In place on `numHeads` heads that lie one after the other from `x` (row 0) on: RMS norm over each head with
   * `normWeight` f32 [headDim] (0: none), then rotary embedding by halves of the first `rotaryDim` dims:
   * (a, b) = (x[i], x[i + rotaryDim / 2]) → (a·cos − b·sin, b·cos + a·sin). table: per row f32 cos [rotaryDim / 2], sin [rotaryDim / 2].
   */
  readonly normRope: (
    x: number,
    xStride: number,
    numHeads: number,
    headDim: number,
    rotaryDim: number,
    table: number,
    tableStride: number,
    normWeight: number,
    eps: number,
    rowStart: number,
    rowEnd: number,
  ) => void;

  /**
   * In place on `numHeads` heads that lie one after the other from `x` (row 0) on: minus `offset`, then a
   * Walsh–Hadamard transform with factor 1 / √w of each w adjacent dims. w is the greatest power of two that divides
   * headDim; below 4 there is no transform. It is orthogonal: products of queries and keys that both went through it
   * stay, and an outlier among the dims becomes w small shares.
   * offset: f32 [numHeads][headDim], 0 for none. Its first `rotaryDim` dims are turned as `normRope` turns heads, by
   * one row of such a table, which need not keep lengths.
   * Source of the transform before quantising: QuaRot (arXiv 2404.00456).
   */
  readonly spreadHeads: (
    x: number,
    xStride: number,
    numHeads: number,
    headDim: number,
    rotaryDim: number,
    offset: number,
    table: number,
    rowStart: number,
    rowEnd: number,
  ) => void;

  /**
   * One token of a gated delta rule: change = learned · (value − decay · stateᵀ·key), state = decay · state + key ⊗ change, then
   * out = stateᵀ·query. state: f32 [keyDim, valueDim]; query and key: f32 [keyDim]; the others f32 [valueDim].
   */
  readonly deltaStep: (
    out: number,
    state: number,
    query: number,
    key: number,
    value: number,
    change: number,
    keyDim: number,
    valueDim: number,
    decay: number,
    learned: number,
  ) => void;

  readonly storeKvF32: StoreKv;
  readonly storeKvQ8: StoreKv;
  readonly attentionF32: Attention;
  readonly attentionQ8: Attention;
}

/** The name of an operation. */
export type KernelName = keyof Kernels;

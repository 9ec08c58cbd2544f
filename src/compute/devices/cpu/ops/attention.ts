/**
 * Self-attention as one fused op: norm, QKV, head norms, rope, cache write, attention. With heads for every thread, a
 * thread owns its KV heads from projection to output and needs no barrier in between.
 */

import { present } from '../../../../base/index.js';
import { paddedColumns, paddedRows } from '../../../../weights/index.js';
import { isFloat, kvKernels } from '../kernel-choice.js';
import { projectionPlaces, ropeTableBytes, rotaryDimOf, ROW_TILE } from '../memory/memory-plan.js';
import { widthOf, type ComputeGraph } from '../../../compute-graph.js';
import { projectionNames, type AttentionOp, type HeadNorm } from '../../../ops/index.js';
import type { BoundOp, Multiply, Prepare, Share, ThreadView } from '../threads/thread-view.js';

export function attention(op: AttentionOp, segment: number, view: ThreadView): BoundOp {
  const { numHeads, numKvHeads, headDim } = op;
  const { project, store, attend } = bindHeads(op, segment, view);
  const normRows = bindRowNorms(op, segment, view);

  // A head of its own may share no group of eight outputs with another thread's, and needs nothing of other heads.
  if (normRows === undefined && numKvHeads % view.threads === 0 && headDim % 8 === 0) {
    const heads = view.share(numKvHeads);
    const groups = (share: Share, perHead: number): Share => ({
      start: (share.start * perHead * headDim) / 8,
      end: (share.end * perHead * headDim) / 8,
    });
    const ranges = {
      query: groups(heads, numHeads / numKvHeads),
      key: groups(heads, 1),
      value: groups(heads, 1),
    };
    return ({ rows }) => {
      project(rows, ranges);
      for (let head = heads.start; head < heads.end; head++) {
        store(head, 0, rows);
        attend(head, 0, rows);
      }
    };
  }

  // Heads do not divide, or are normed together: share groups of outputs, then rows, then (head, row) pairs, with a barrier after each.
  const kvGroups = view.share(paddedRows(numKvHeads * headDim) / 8);
  const ranges = { query: view.share(paddedRows(numHeads * headDim) / 8), key: kvGroups, value: kvGroups };
  return ({ rows }) => {
    project(rows, ranges);
    view.barrier();
    const mine = view.share(rows);
    normRows?.(mine.start, mine.end);
    for (let head = 0; head < numKvHeads; head++) store(head, mine.start, mine.end);
    view.barrier();
    const pairs = view.share(rows * numKvHeads);
    for (let pair = pairs.start; pair < pairs.end;) {
      const head = Math.floor(pair / rows);
      const end = Math.min(pairs.end, (head + 1) * rows);
      attend(head, pair - head * rows, end - head * rows);
      pair = end;
    }
  };
}

/** Groups of 8 outputs of each projection. */
type Ranges = Readonly<Record<(typeof projectionNames)[number], Share>>;

/** The work on one KV head and a range of rows. */
interface HeadSteps {
  /** Queries, keys and values of all rows for ranges of groups of 8 outputs. */
  project(rows: number, ranges: Ranges): void;
  /** Applies head norms and rope in place, converts to the cache's format, then stores key and value in the cache. */
  store(head: number, rowStart: number, rowEnd: number): void;
  attend(head: number, rowStart: number, rowEnd: number): void;
}

function bindHeads(op: AttentionOp, segment: number, view: ThreadView): HeadSteps {
  const { kernels, at, scratch } = view.segment(segment);
  const { strides, capacity } = view.plan;
  const { rmsNormEps } = view.graph;
  const { numHeads, numKvHeads, headDim, cacheOf = op.layer } = op;
  const groupSize = numHeads / numKvHeads;
  const headBytes = headDim * 4;
  const places = projectionPlaces(op);
  const rotaryDim = rotaryDimIn(op, view.graph);
  const rope = at.rope + (op.rope ?? 0) * ropeTableBytes(view.graph, capacity.maxRows);
  const cache = present(at.caches[cacheOf], 'each layer has a cache');
  const [slots, blockTables] = [at.slots, at.blockTables].map((pools) =>
    present(pools[cache.pool], 'a planned pool'),
  ) as [number, number];
  const headNorm = (norm: HeadNorm | undefined): number =>
    view.address(segment, norm?.spans === 'head' ? norm.weight : undefined);
  const [queryNorm, keyNorm] = [headNorm(op.queryNorm), headNorm(op.keyNorm)];
  const { store, attend } = kvKernels(kernels, capacity.kvFormat);
  const sinks = view.address(segment, op.sinks);
  const spread = bindSpread(op, segment, view);
  const clearRest = bindClearRest(op, segment, view);
  const products = bindProjections(op, segment, view);

  const turn = (heads: number, numHeadsHere: number, norm: number, rowStart: number, rowEnd: number): void => {
    const { normRope } = kernels;
    normRope(
      heads,
      strides.qkv,
      numHeadsHere,
      headDim,
      rotaryDim,
      rope,
      rotaryDim * 4,
      norm,
      rmsNormEps,
      rowStart,
      rowEnd,
    );
  };

  return {
    project(rows, ranges) {
      for (let start = 0; start < rows; start += ROW_TILE) {
        const count = Math.min(ROW_TILE, rows - start);
        const out = at.qkv + start * strides.qkv;
        for (const { prepare, multiplies } of products) {
          const input = prepare(start, count);
          for (const { name, multiply } of multiplies) {
            multiply(out + places[name], strides.qkv, input, count, ranges[name].start, ranges[name].end);
          }
        }
      }
    },
    store(head, rowStart, rowEnd) {
      const query = at.qkv + head * groupSize * headBytes;
      const key = at.qkv + places.key + head * headBytes;
      const value = at.qkv + places.value + head * headBytes;
      turn(query, groupSize, queryNorm, rowStart, rowEnd);
      if (op.key !== undefined) turn(key, 1, keyNorm, rowStart, rowEnd);
      spread?.(query, key, head, rowStart, rowEnd);
      if (op.key === undefined) return;
      store(cache.at, cache.blockBytes, head, headDim, key, value, strides.qkv, slots, rowStart, rowEnd);
    },
    attend(head, rowStart, rowEnd) {
      attend(
        at.attention + head * groupSize * headBytes,
        strides.attention,
        at.qkv + head * groupSize * headBytes,
        strides.qkv,
        cache.at,
        cache.blockBytes,
        head,
        groupSize,
        headDim,
        blockTables,
        capacity.maxBlocksPerSequence * 4,
        at.sequences,
        at.positions,
        rowStart,
        rowEnd,
        op.window,
        op.scale,
        op.softCap ?? 0,
        sinks === 0 ? 0 : sinks + head * groupSize * 4,
        scratch.attention,
      );
      if (head === numKvHeads - 1) clearRest?.(rowStart, rowEnd);
    },
  };
}

/**
 * Zeros between the last head and the padded end of the rows, where a wider layer has left numbers: they would be quantised with
 * the block. Undefined: all layers are as wide.
 */
function bindClearRest(
  { numHeads, headDim }: AttentionOp,
  segment: number,
  view: ThreadView,
): ((rowStart: number, rowEnd: number) => void) | undefined {
  const { at, memory } = view.segment(segment);
  const width = numHeads * headDim;
  if (widthOf(view.graph, 'attention') === width) return undefined;
  const floats = new Float32Array(memory);
  const { attention: stride } = view.plan.strides;
  return (rowStart, rowEnd) => {
    for (let row = rowStart; row < rowEnd; row++) {
      const start = (at.attention + row * stride) / 4;
      floats.fill(0, start + width, start + paddedColumns(width));
    }
  };
}

/** The dimensions of a head that turn. */
function rotaryDimIn({ rope }: AttentionOp, { ropes }: ComputeGraph): number {
  return rope === undefined ? 0 : rotaryDimOf(present(ropes[rope], 'a rope of the graph'));
}

/** Norms of queries and keys over all heads of rows [rowStart, rowEnd), in place. Undefined: the op has none. */
function bindRowNorms(
  op: AttentionOp,
  segment: number,
  view: ThreadView,
): ((rowStart: number, rowEnd: number) => void) | undefined {
  const { queryNorm, keyNorm, numHeads, numKvHeads, headDim } = op;
  if (queryNorm?.spans !== 'row' && keyNorm?.spans !== 'row') return undefined;
  const { kernels, at } = view.segment(segment);
  const { rmsNormEps } = view.graph;
  const places = projectionPlaces(op);
  const stride = view.plan.strides.qkv;
  return (rowStart, rowEnd) => {
    for (const [norm, place, heads] of [
      [queryNorm, places.query, numHeads],
      [keyNorm, places.key, numKvHeads],
    ] as const) {
      if (norm?.spans !== 'row') continue;
      const [x, weight] = [at.qkv + place, view.address(segment, norm.weight)];
      kernels.rmsNorm(x, stride, x, stride, weight, heads * headDim, rowStart, rowEnd, rmsNormEps);
    }
  };
}

/** Spreads the query heads and the key of one KV head, before both are quantised. */
type Spread = (query: number, key: number, head: number, rowStart: number, rowEnd: number) => void;

/**
 * Adjustments of int8 keys and queries where a few dims are far larger than others, as in Qwen2 by its biases: 8 bits
 * for the largest leave none for the rest. A constant in all keys of a head adds the same to all scores of a query and
 * leaves its softmax unchanged. So the bias, in its average rotation, is subtracted from the keys. The remaining
 * outliers are spread over the dims. Undefined: the cache holds floats, which need neither.
 */
function bindSpread(op: AttentionOp, segment: number, view: ThreadView): Spread | undefined {
  const { kernels, at } = view.segment(segment);
  const { strides, capacity } = view.plan;
  const { numHeads, numKvHeads, headDim } = op;
  if (capacity.kvFormat === 'f32') return undefined;
  const { spreadHeads } = kernels;
  const rotaryDim = rotaryDimIn(op, view.graph);
  const table = at.meanTurns + (op.rope ?? 0) * ropeTableBytes(view.graph, 1);
  // A norm of the key makes another vector of its bias for each token. A sink is compared with the scores themselves, and a
  // soft cap bends them.
  const isPlain = op.keyNorm === undefined && op.sinks === undefined && op.softCap === undefined;
  const bias = isPlain ? view.address(segment, op.key?.bias) : 0;
  return (query, key, head, rowStart, rowEnd) => {
    const offset = bias === 0 ? 0 : bias + head * headDim * 4;
    spreadHeads(query, strides.qkv, numHeads / numKvHeads, headDim, rotaryDim, 0, table, rowStart, rowEnd);
    if (op.key === undefined) return;
    spreadHeads(key, strides.qkv, 1, headDim, rotaryDim, offset, table, rowStart, rowEnd);
  };
}

/** Projections that multiply the same rows: quantised ones, or floats. */
interface Products {
  readonly prepare: Prepare;
  readonly multiplies: readonly { readonly name: (typeof projectionNames)[number]; readonly multiply: Multiply }[];
}

/** The projections by the type of their rows; the quantised first, because preparing rows for them uses the floats' memory. */
function bindProjections(op: AttentionOp, segment: number, view: ThreadView): Products[] {
  const { at } = view.segment(segment);
  const { strides } = view.plan;
  return [false, true].flatMap((isOfFloats): Products[] => {
    const projections = projectionNames.flatMap((name) => {
      const projection = op[name];
      if (projection === undefined) return [];
      const isOfThese = view.panels(projection.weight).every(({ quant }) => isFloat(quant)) === isOfFloats;
      return isOfThese ? [{ name, ...projection }] : [];
    });
    const [first] = projections;
    if (first === undefined) return [];
    return [
      {
        prepare: view.prepare(segment, at.hidden, strides.hidden, op.norm, first.weight),
        multiplies: projections.map(({ name, weight, bias }) => {
          return { name, multiply: view.multiply(segment, weight, bias, 'store', strides.hidden) };
        }),
      },
    ];
  });
}

/**
 * Self-attention as one fused op: norm, QKV, head norms, rope, cache write, attention. With heads for every thread, a
 * thread owns its KV heads from projection to output and needs no barrier in between.
 */

import { present } from '../../../../base/index.js';
import { kvKernels } from '../kernel-choice.js';
import { ROW_TILE } from '../memory/memory-plan.js';
import type { AttentionOp } from '../../../compute-graph.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

export function attention(op: AttentionOp, segment: number, view: ThreadView): BoundOp {
  const { numKvHeads } = view.graph;
  const { project, store, attend, groupsPerHead } = bindHeads(op, segment, view);

  if (numKvHeads % view.threads === 0) {
    const heads = view.share(numKvHeads);
    return ({ rows }) => {
      project(rows, heads.start * groupsPerHead, heads.end * groupsPerHead);
      for (let head = heads.start; head < heads.end; head++) {
        store(head, 0, rows);
        attend(head, 0, rows);
      }
    };
  }

  // Heads do not divide: share groups of outputs, then rows, then (head, row) pairs, with a barrier after each.
  const groups = view.share(numKvHeads * groupsPerHead);
  return ({ rows }) => {
    project(rows, groups.start, groups.end);
    view.barrier();
    const mine = view.share(rows);
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

/** What is done for one KV head and a range of rows. */
interface HeadSteps {
  /** Groups of 8 QKV outputs that belong to one KV head. */
  readonly groupsPerHead: number;
  /** QKV of all rows for a range of groups. */
  project(rows: number, groupStart: number, groupEnd: number): void;
  /** Head norms and rope in place, then key and value into the cache. */
  store(head: number, rowStart: number, rowEnd: number): void;
  attend(head: number, rowStart: number, rowEnd: number): void;
}

function bindHeads(op: AttentionOp, segment: number, view: ThreadView): HeadSteps {
  const { kernels, at, scratch } = view.segment(segment);
  const { strides, kvBlockBytes, capacity } = view.plan;
  const { numHeads, numKvHeads, headDim, rotaryDim, rmsNormEps, attentionScale } = view.graph;
  const groupSize = numHeads / numKvHeads;
  const headBytes = headDim * 4;
  const kvGroupBytes = (groupSize + 2) * headBytes;
  const cache = present(at.caches[op.layer], 'each layer has a cache');
  const queryNorm = view.address(segment, op.queryNorm);
  const keyNorm = view.address(segment, op.keyNorm);
  const { store, attend } = kvKernels(kernels, capacity.kvFormat);
  const prepare = view.prepare(segment, at.hidden, strides.hidden, op.norm, [op.weight]);
  const multiply = view.multiply(segment, [op.weight], op.bias, 'store', strides.hidden);

  const turn = (heads: number, numHeadsHere: number, norm: number, rowStart: number, rowEnd: number): void => {
    const { normRope } = kernels;
    normRope(
      heads,
      strides.qkv,
      numHeadsHere,
      headDim,
      rotaryDim,
      at.rope,
      rotaryDim * 4,
      norm,
      rmsNormEps,
      rowStart,
      rowEnd,
    );
  };

  return {
    groupsPerHead: ((groupSize + 2) * headDim) / 8,
    project(rows, groupStart, groupEnd) {
      for (let start = 0; start < rows; start += ROW_TILE) {
        const count = Math.min(ROW_TILE, rows - start);
        multiply(at.qkv + start * strides.qkv, strides.qkv, prepare(start, count), count, groupStart, groupEnd);
      }
    },
    store(head, rowStart, rowEnd) {
      const query = at.qkv + head * kvGroupBytes;
      const key = query + groupSize * headBytes;
      turn(query, groupSize, queryNorm, rowStart, rowEnd);
      turn(key, 1, keyNorm, rowStart, rowEnd);
      store(cache, kvBlockBytes, head, headDim, key, key + headBytes, strides.qkv, at.slots, rowStart, rowEnd);
    },
    attend(head, rowStart, rowEnd) {
      attend(
        at.attention + head * groupSize * headBytes,
        strides.attention,
        at.qkv + head * kvGroupBytes,
        strides.qkv,
        cache,
        kvBlockBytes,
        head,
        groupSize,
        headDim,
        at.blockTables,
        capacity.maxBlocksPerSequence * 4,
        at.sequences,
        at.positions,
        rowStart,
        rowEnd,
        op.window,
        attentionScale,
        scratch.attention,
      );
    },
  };
}

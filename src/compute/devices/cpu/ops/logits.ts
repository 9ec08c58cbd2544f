import { paddedRows } from '../../../../weights/index.js';
import { ROW_TILE } from '../memory/memory-plan.js';
import type { LogitsOp } from '../../../ops/index.js';
import { sharedProduct } from './shared-product.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** The final norm and the output matrix, for the rows whose logits are wanted. */
export function logits(op: LogitsOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, memory, at, scratch } = view.segment(segment);
  const { strides } = view.plan;
  const prepare = view.prepare(segment, scratch.gathered, strides.hidden, op.norm, op.weight);
  const multiply = sharedProduct(view, segment, { weight: op.weight, epilogue: 'store' }, strides.hidden);
  const columns = strides.hidden / 4;
  const values = new Float32Array(memory, at.logits);
  const { scale, softCap } = op;
  const groups = view.share(paddedRows(view.graph.vocabSize) / 8);
  const mine = { start: groups.start * 8, end: groups.end * 8 };
  const finishRow = (row: number): void => {
    if (scale !== 1) for (let i = row + mine.start; i < row + mine.end; i++) values[i] = (values[i] as number) * scale;
    if (softCap !== undefined) {
      kernels.softCap(at.logits + (row + mine.start) * 4, mine.end - mine.start, softCap);
    }
  };
  return ({ logitRows }) => {
    for (let start = 0; start < logitRows; start += ROW_TILE) {
      // The work chunks of one tile of rows say nothing of the next.
      if (start > 0) view.barrier();
      const count = Math.min(ROW_TILE, logitRows - start);
      const indices = at.logitRows + start * 4;
      kernels.gatherRows(scratch.gathered, strides.hidden, at.hidden, strides.hidden, indices, columns, count);
      multiply(at.logits + start * strides.logits, strides.logits, prepare(0, count), count);
      if (scale === 1 && softCap === undefined) continue;
      // Another thread may have computed what this one changes.
      view.barrier();
      for (let row = start; row < start + count; row++) finishRow((row * strides.logits) / 4);
    }
  };
}

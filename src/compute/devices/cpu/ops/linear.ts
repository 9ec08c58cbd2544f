import { ROW_TILE } from '../memory/memory-plan.js';
import type { LinearOp } from '../../../ops/index.js';
import { sharedProduct } from './shared-product.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** One matrix product with its norm before and its epilogue after. */
export function linear(op: LinearOp, segment: number, view: ThreadView): BoundOp {
  const { at } = view.segment(segment);
  const { strides } = view.plan;
  const prepare = view.prepare(segment, at[op.input], strides[op.input], op.norm, op.weight);
  const product = { ...op, epilogue: op.gate === undefined ? op.epilogue : (`${op.gate.activation}Gate` as const) };
  const multiply = sharedProduct(view, segment, product, strides[op.input]);
  const out = at[op.output];
  const stride = strides[op.output];
  return ({ rows }) => {
    for (let start = 0; start < rows; start += ROW_TILE) {
      // The work chunks of one tile of rows say nothing of the next.
      if (start > 0) view.barrier();
      const count = Math.min(ROW_TILE, rows - start);
      multiply(out + start * stride, stride, prepare(start, count), count);
    }
  };
}

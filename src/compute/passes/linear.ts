import { ROW_TILE } from '../memory-plan.js';
import type { LinearOp } from '../program.js';
import { sharedProduct } from '../shared-product.js';
import type { Pass, ThreadView } from '../thread-view.js';

/** One matrix product with its norm before and its epilogue after. */
export function linear(op: LinearOp, bank: number, view: ThreadView): Pass {
  const { at } = view.bank(bank);
  const { strides } = view.plan;
  const prepare = view.prepare(bank, at[op.input], strides[op.input], op.norm, op.weights);
  const multiply = sharedProduct(view, bank, op, strides[op.input]);
  const out = at[op.output];
  const stride = strides[op.output];
  return ({ rows }) => {
    for (let start = 0; start < rows; start += ROW_TILE) {
      // What is claimed of one tile of rows says nothing of the next.
      if (start > 0) view.barrier();
      const count = Math.min(ROW_TILE, rows - start);
      multiply(out + start * stride, stride, prepare(start, count), count);
    }
  };
}

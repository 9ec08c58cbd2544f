import { paddedRows } from '../../weights/index.js';
import { ROW_TILE } from '../memory-plan.js';
import type { LinearOp } from '../program.js';
import type { Pass, ThreadView } from '../thread-view.js';

/** One matrix product with its norm before and its epilogue after, shared by groups of outputs. */
export function linear(op: LinearOp, bank: number, view: ThreadView): Pass {
  const { at } = view.bank(bank);
  const { strides } = view.plan;
  // A group of gate and its group of up stay together.
  const unit = op.epilogue === 'gate' ? 2 : 1;
  const { start: unitStart, end: unitEnd } = view.share(paddedRows(view.tensor(op.weight).rows) / 8 / unit);
  const prepare = view.prepare(bank, at[op.input], strides[op.input], op.norm, op.weight);
  const multiply = view.multiply(bank, op.weight, op.bias, op.epilogue, strides[op.input]);
  const out = at[op.output];
  const stride = strides[op.output];
  return ({ rows }) => {
    for (let start = 0; start < rows; start += ROW_TILE) {
      const count = Math.min(ROW_TILE, rows - start);
      multiply(out + start * stride, stride, prepare(start, count), count, unitStart * unit, unitEnd * unit);
    }
  };
}

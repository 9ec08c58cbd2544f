import { paddedRows } from '../../weights/index.js';
import { ROW_TILE } from '../memory-plan.js';
import type { LogitsOp } from '../program.js';
import type { Pass, ThreadView } from '../thread-view.js';

/** The final norm and the output matrix, for the rows whose logits are wanted; shared by groups of the vocabulary. */
export function logits(op: LogitsOp, bank: number, view: ThreadView): Pass {
  const { kernels, at, scratch } = view.bank(bank);
  const { strides } = view.plan;
  const { start: groupStart, end: groupEnd } = view.share(paddedRows(view.tensor(op.weight).rows) / 8);
  const prepare = view.prepare(bank, scratch.gathered, strides.hidden, op.norm, op.weight);
  const multiply = view.multiply(bank, op.weight, undefined, 'store', strides.hidden);
  const columns = strides.hidden / 4;
  return ({ logitRows }) => {
    for (let start = 0; start < logitRows; start += ROW_TILE) {
      const count = Math.min(ROW_TILE, logitRows - start);
      const indices = at.logitRows + start * 4;
      kernels.gatherRows(scratch.gathered, strides.hidden, at.hidden, strides.hidden, indices, columns, count);
      multiply(at.logits + start * strides.logits, strides.logits, prepare(0, count), count, groupStart, groupEnd);
    }
  };
}

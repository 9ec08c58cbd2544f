import { paddedColumns } from '../../weights/index.js';
import { embedKernel } from '../kernel-choice.js';
import type { EmbedOp } from '../program.js';
import type { Pass, ThreadView } from '../thread-view.js';

/** Rows of the table → hidden, shared by rows. */
export function embed(op: EmbedOp, bank: number, view: ThreadView): Pass {
  const { kernels, at } = view.bank(bank);
  const { quant, columns } = view.tensor(op.table);
  const kernel = embedKernel(kernels, quant);
  const table = view.address(bank, op.table);
  const stride = view.plan.strides.hidden;
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    kernel(at.hidden, stride, table, paddedColumns(columns), at.tokenIds, start, end, 1);
  };
}

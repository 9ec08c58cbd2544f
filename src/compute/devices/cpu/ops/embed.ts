import { present } from '../../../../base/index.js';
import { paddedColumns } from '../../../../weights/index.js';
import { embedKernel } from '../kernel-choice.js';
import type { EmbedOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** Rows of the table → hidden, shared by rows. */
export function embed(op: EmbedOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, at } = view.segment(segment);
  const { quant, columns } = present(view.panels(op.table)[0], 'a table is whole');
  const kernel = embedKernel(kernels, quant);
  const table = view.address(segment, op.table);
  const stride = view.plan.strides.hidden;
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    kernel(at.hidden, stride, table, paddedColumns(columns), at.tokenIds, start, end, op.scale);
  };
}

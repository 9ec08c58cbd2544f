import { present } from '../../../../base/index.js';
import { paddedColumns } from '../../../../weights/index.js';
import { embedKernel } from '../kernel-choice.js';
import { GIVEN_ROW } from '../memory/memory-plan.js';
import type { EmbedOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** Rows of the table → hidden, shared by rows. Given rows are there already. */
export function embed(op: EmbedOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, at, memory } = view.segment(segment);
  const { quant, columns } = present(view.panels(op.table)[0], 'a table is whole');
  const kernel = embedKernel(kernels, quant);
  const table = view.address(segment, op.table);
  const stride = view.plan.strides.hidden;
  const tokenIds = new Int32Array(memory, at.tokenIds, view.plan.capacity.maxRows);
  return ({ rows }) => {
    const share = view.share(rows);
    for (let start = share.start; start < share.end; start++) {
      if (tokenIds[start] === GIVEN_ROW) continue;
      const first = start;
      while (start < share.end && tokenIds[start] !== GIVEN_ROW) start++;
      kernel(at.hidden, stride, table, paddedColumns(columns), at.tokenIds, first, start, op.scale);
    }
  };
}

// The registry of fused ops: for each op of a compute graph, how it runs on kernels. One line for each.

import type { Op } from '../../../compute-graph.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';
import { addNorm } from './add-norm.js';
import { attention } from './attention.js';
import { embed } from './embed.js';
import { linear } from './linear.js';
import { logits } from './logits.js';

/** Binds `op` to `segment` for one thread. */
export function bindOp(op: Op, segment: number, view: ThreadView): BoundOp {
  switch (op.op) {
    case 'embed':
      return embed(op, segment, view);
    case 'attention':
      return attention(op, segment, view);
    case 'linear':
      return linear(op, segment, view);
    case 'addNorm':
      return addNorm(op, segment, view);
    case 'logits':
      return logits(op, segment, view);
  }
}

// The passes shelf: how this program grammar's ops run on kernels. One line for each op.

import type { Op } from '../program.js';
import type { Pass, ThreadView } from '../thread-view.js';
import { attention } from './attention.js';
import { embed } from './embed.js';
import { linear } from './linear.js';
import { logits } from './logits.js';

/** Binds `op` to `bank` for one thread. */
export function bindPass(op: Op, bank: number, view: ThreadView): Pass {
  switch (op.op) {
    case 'embed':
      return embed(op, bank, view);
    case 'attention':
      return attention(op, bank, view);
    case 'linear':
      return linear(op, bank, view);
    case 'logits':
      return logits(op, bank, view);
  }
}

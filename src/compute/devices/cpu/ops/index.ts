// For each fused op of a compute graph, how it runs on kernels.

import type { Op, OpName } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';
import { addNorm } from './add-norm.js';
import { attention } from './attention.js';
import { convolution } from './convolution.js';
import { deltaRule } from './delta-rule.js';
import { embed } from './embed.js';
import { experts } from './experts.js';
import { linear } from './linear.js';
import { logits } from './logits.js';
import { sigmoidGate } from './sigmoid-gate.js';

/** Binds an op to a segment of memory for one thread. */
type BindOp<Name extends OpName> = (op: Op<Name>, segment: number, view: ThreadView) => BoundOp;

const bindings: { readonly [Name in OpName]: BindOp<Name> } = {
  embed,
  attention,
  convolution,
  deltaRule,
  sigmoidGate,
  linear,
  experts,
  addNorm,
  logits,
};

/** Binds `op` to `segment` for one thread. */
export function bindOp<Name extends OpName>(op: Op<Name>, segment: number, view: ThreadView): BoundOp {
  return bindings[op.op](op, segment, view);
}

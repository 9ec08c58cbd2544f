import type { AddNormOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** The norm after a part of a layer, added to the residual stream; shared by rows. */
export function addNorm(op: AddNormOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, at } = view.segment(segment);
  const { strides } = view.plan;
  const { hiddenSize, rmsNormEps } = view.graph;
  const weight = view.address(segment, op.norm.weight);
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    kernels.addNorm(at.hidden, strides.hidden, at.branch, strides.branch, weight, hiddenSize, start, end, rmsNormEps);
  };
}

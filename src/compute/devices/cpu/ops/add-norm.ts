import type { AddNormOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** The output of a part of a layer, normed or as it is, is added to the residual stream; shared by rows. */
export function addNorm(op: AddNormOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, memory, at } = view.segment(segment);
  const { strides } = view.plan;
  const { hiddenSize, rmsNormEps } = view.graph;
  const weight = view.address(segment, op.norm?.weight);
  const [hidden, branch] = [new Float32Array(memory, at.hidden), new Float32Array(memory, at.branch)];
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    if (weight === 0) {
      for (let row = start; row < end; row++) {
        const [to, from] = [(row * strides.hidden) / 4, (row * strides.branch) / 4];
        for (let i = 0; i < hiddenSize; i++) hidden[to + i] = (hidden[to + i] as number) + (branch[from + i] as number);
      }
      return;
    }
    kernels.addNorm(at.hidden, strides.hidden, at.branch, strides.branch, weight, hiddenSize, start, end, rmsNormEps);
  };
}

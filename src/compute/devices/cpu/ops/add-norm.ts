import type { AddNormOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** The output of a part of a layer, normed or as it is, is added to the residual stream; shared by rows. */
export function addNorm(op: AddNormOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, memory, at } = view.segment(segment);
  const { strides } = view.plan;
  const { hiddenSize, rmsNormEps } = view.graph;
  const weight = view.address(segment, op.norm?.weight);
  const { scale } = op;
  const [hidden, branch] = [new Float32Array(memory, at.hidden), new Float32Array(memory, at.branch)];
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    const operands = [at.branch, strides.branch, weight, hiddenSize, start, end, rmsNormEps] as const;
    if (weight !== 0 && scale === 1) {
      kernels.addNorm(at.hidden, strides.hidden, ...operands);
      return;
    }
    if (weight !== 0) kernels.rmsNorm(at.branch, strides.branch, ...operands);
    for (let row = start; row < end; row++) {
      const [to, from] = [(row * strides.hidden) / 4, (row * strides.branch) / 4];
      for (let i = 0; i < hiddenSize; i++) {
        hidden[to + i] = (hidden[to + i] as number) + scale * (branch[from + i] as number);
      }
    }
  };
}

import { assert, present } from '../../../../base/index.js';
import type { ThreadView } from '../threads/thread-view.js';

/**
 * Reads the hidden state of a row after the final norm, f32 [hiddenSize]: the input of the output matrix, bit for bit.
 * The last step left the residual stream in its segment, and one norm costs next to nothing. So it is computed on
 * demand: no step pays for it, and rows that need nothing else skip the output matrix. `view` is its own thread's.
 */
export function createHiddenReader(view: ThreadView): (row: number) => Float32Array {
  const op = view.graph.ops.at(-1);
  assert(op?.op === 'logits', 'a graph ends with its logits');
  const segment = present(view.plan.opSegments.at(-1), 'each op has a segment');
  const { kernels, at, scratch, memory } = view.segment(segment);
  const stride = view.plan.strides.hidden;
  const { hiddenSize, rmsNormEps } = view.graph;
  const weight = view.address(segment, op.norm.weight);
  const normed = new Float32Array(memory, scratch.normed, hiddenSize);
  return (row) => {
    kernels.rmsNorm(scratch.normed, stride, at.hidden + row * stride, stride, weight, hiddenSize, 0, 1, rmsNormEps);
    return normed;
  };
}

import type { SigmoidGateOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** Activations times the sigmoid of their gates, shared by columns. */
export function sigmoidGate({ values, width, spans }: SigmoidGateOp, segment: number, view: ThreadView): BoundOp {
  const { memory, at } = view.segment(segment);
  const { strides } = view.plan;
  const floats = new Float32Array(memory);
  const { start, end } = view.share(width);
  const perValue = spans === 'value' ? 1 : 0;
  return ({ rows }) => {
    for (let row = 0; row < rows; row++) {
      const gates = (at.gate + row * strides.gate) / 4;
      const out = (at[values] + row * strides[values]) / 4;
      for (let i = start; i < end; i++) {
        floats[out + i] = (floats[out + i] as number) / (1 + Math.exp(-(floats[gates + i * perValue] as number)));
      }
    }
  };
}

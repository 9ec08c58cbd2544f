import type { SigmoidGateOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const sigmoidGate: RunOp<SigmoidGateOp> = ({ values, width, spans }, machine, { rows }) => {
  for (let row = 0; row < rows; row++) {
    const gates = machine.row('gate', row);
    const out = machine.row(values, row);
    for (let i = 0; i < width; i++) {
      out[i] = (out[i] as number) / (1 + Math.exp(-(gates[spans === 'value' ? i : 0] as number)));
    }
  }
};

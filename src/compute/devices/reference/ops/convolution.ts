import { present } from '../../../../base/index.js';
import type { ConvolutionOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const convolution: RunOp<ConvolutionOp> = (op, machine, batch) => {
  const { state, form, input, output, taps, channels, weight } = op;
  const weights = machine.vector(weight);
  const kept = taps - 1;
  for (let row = 0; row < batch.rows; row++) {
    const slot = present(batch.states[batch.sequences[row] as number], 'a sequence has a state');
    // The last inputs, the oldest first, and the row's own.
    const inputs = new Float32Array(taps * channels);
    inputs.set(machine.state(state, slot));
    const values = machine.row(input, row);
    const out = machine.row(output, row);
    for (let channel = 0; channel < channels; channel++) {
      const value = values[channel] as number;
      inputs[kept * channels + channel] = form === 'gated' ? value * (values[2 * channels + channel] as number) : value;
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) {
        sum += (weights[channel * taps + tap] as number) * (inputs[tap * channels + channel] as number);
      }
      out[channel] = form === 'gated' ? (values[channels + channel] as number) * sum : sum / (1 + Math.exp(-sum));
    }
    machine.state(state, slot).set(inputs.subarray(channels));
    const checkpoint = batch.checkpoints[row] as number;
    if (checkpoint >= 0) machine.state(state, checkpoint).set(inputs.subarray(channels));
  }
};

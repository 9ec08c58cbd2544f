import { present } from '../../../../base/index.js';
import type { ConvolutionOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const convolution: RunOp<ConvolutionOp> = ({ layer, taps, channels, weight }, machine, batch) => {
  const weights = machine.vector(weight);
  const kept = taps - 1;
  for (let row = 0; row < batch.rows; row++) {
    const slot = present(batch.states[batch.sequences[row] as number], 'a sequence has a state');
    // The last inputs, the oldest first, and the row's own.
    const inputs = Float32Array.from([...machine.state(layer, slot), ...new Float32Array(channels)]);
    const mixer = machine.row('mixer', row);
    const out = machine.row('mixed', row);
    for (let channel = 0; channel < channels; channel++) {
      inputs[kept * channels + channel] = (mixer[channel] as number) * (mixer[2 * channels + channel] as number);
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) {
        sum += (weights[channel * taps + tap] as number) * (inputs[tap * channels + channel] as number);
      }
      out[channel] = (mixer[channels + channel] as number) * sum;
    }
    machine.state(layer, slot).set(inputs.subarray(channels));
    const checkpoint = batch.checkpoints[row] as number;
    if (checkpoint >= 0) machine.state(layer, checkpoint).set(inputs.subarray(channels));
  }
};

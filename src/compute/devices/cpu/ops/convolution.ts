import { present } from '../../../../base/index.js';
import type { ConvolutionOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** A gated short convolution, shared by channels. Rows of a sequence lie one after the other; their inputs replace x. */
export function convolution(op: ConvolutionOp, segment: number, view: ThreadView): BoundOp {
  const { memory, at } = view.segment(segment);
  const { strides } = view.plan;
  const { taps, channels, layer } = op;
  const kept = taps - 1;
  const floats = new Float32Array(memory);
  const ints = new Int32Array(memory);
  const weights = view.address(segment, op.weight) / 4;
  const states = present(at.states[layer], 'each layer has its state') / 4;
  const stateOf = (slot: number): number => states + slot * kept * channels;
  const inputAt = (row: number): number => (at.mixer + row * strides.mixer) / 4 + 2 * channels;
  const sequenceOf = (row: number): number => ints[at.sequences / 4 + row] as number;

  /** The input of `channel` so many tokens after the `first` row of its sequence in this step; before it, from its state. */
  const inputOf = (first: number, after: number, state: number, channel: number): number =>
    floats[after >= 0 ? inputAt(first + after) + channel : state + (kept + after) * channels + channel] as number;

  /** The last inputs after `row`, the oldest first. The slot may be that of `state`: none is overwritten before it is read. */
  const keep = (first: number, row: number, state: number, to: number, start: number, end: number): void => {
    for (let i = 0; i < kept; i++) {
      const after = row - first - kept + 1 + i;
      for (let channel = start; channel < end; channel++) {
        floats[to + i * channels + channel] = inputOf(first, after, state, channel);
      }
    }
  };

  return ({ rows }) => {
    const { start, end } = view.share(channels);
    for (let first = 0; first < rows;) {
      const sequence = sequenceOf(first);
      const state = stateOf(ints[at.sequenceStates / 4 + sequence] as number);
      let row = first;
      for (; row < rows && sequenceOf(row) === sequence; row++) {
        const x = inputAt(row);
        const out = (at.mixed + row * strides.mixed) / 4;
        for (let channel = start; channel < end; channel++) {
          const b = floats[x - 2 * channels + channel] as number;
          floats[x + channel] = b * (floats[x + channel] as number);
        }
        for (let channel = start; channel < end; channel++) {
          let sum = 0;
          for (let tap = 0; tap < taps; tap++) {
            const input = inputOf(first, row - first - kept + tap, state, channel);
            sum += (floats[weights + channel * taps + tap] as number) * input;
          }
          floats[out + channel] = (floats[x - channels + channel] as number) * sum;
        }
        const checkpoint = ints[at.checkpoints / 4 + row] as number;
        if (checkpoint >= 0) keep(first, row, state, stateOf(checkpoint), start, end);
      }
      keep(first, row - 1, state, state, start, end);
      first = row;
    }
  };
}

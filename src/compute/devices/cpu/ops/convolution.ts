import { present } from '../../../../base/index.js';
import type { ConvolutionOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** A short convolution, shared by channels. Rows of a sequence lie one after the other; of a gated one b · z replaces z. */
export function convolution(op: ConvolutionOp, segment: number, view: ThreadView): BoundOp {
  const { memory, at } = view.segment(segment);
  const { strides } = view.plan;
  const { taps, channels, form } = op;
  const kept = taps - 1;
  const floats = new Float32Array(memory);
  const ints = new Int32Array(memory);
  const weights = view.address(segment, op.weight) / 4;
  const states = present(at.states[op.state], 'a state of the graph') / 4;
  const stateOf = (slot: number): number => states + slot * kept * channels;
  const before = form === 'gated' ? 2 * channels : 0;
  const inputAt = (row: number): number => (at[op.input] + row * strides[op.input]) / 4 + before;
  const sequenceOf = (row: number): number => ints[at.sequences / 4 + row] as number;
  /** The inputs so many tokens after the `first` row of their sequence in this step; those before it are in its state. */
  const inputsAfter = (first: number, after: number, state: number): number =>
    after >= 0 ? inputAt(first + after) : state + (kept + after) * channels;

  /** The last inputs after `row`, the oldest first. The slot may be that of `state`: none is overwritten before it is read. */
  const keep = (first: number, row: number, state: number, to: number, start: number, end: number): void => {
    for (let i = 0; i < kept; i++) {
      const from = inputsAfter(first, row - first - kept + 1 + i, state);
      floats.copyWithin(to + i * channels + start, from + start, from + end);
    }
  };

  /** The taps one after the other, the oldest first; then the activation or · c. */
  const convolve = (first: number, row: number, state: number, start: number, end: number): void => {
    const x = inputAt(row);
    const [b, c, out] = [x - 2 * channels, x - channels, (at[op.output] + row * strides[op.output]) / 4];
    if (form === 'gated') {
      for (let i = start; i < end; i++) floats[x + i] = (floats[b + i] as number) * (floats[x + i] as number);
    }
    for (let tap = 0; tap < taps; tap++) {
      const from = inputsAfter(first, row - first - kept + tap, state);
      for (let i = start; i < end; i++) {
        const sum = tap === 0 ? 0 : (floats[out + i] as number);
        floats[out + i] = sum + (floats[weights + i * taps + tap] as number) * (floats[from + i] as number);
      }
    }
    for (let i = start; i < end; i++) {
      const sum = floats[out + i] as number;
      floats[out + i] = form === 'gated' ? (floats[c + i] as number) * sum : sum / (1 + Math.exp(-sum));
    }
  };

  return ({ rows }) => {
    const { start, end } = view.share(channels);
    for (let first = 0; first < rows;) {
      const sequence = sequenceOf(first);
      const state = stateOf(ints[at.sequenceStates / 4 + sequence] as number);
      let row = first;
      for (; row < rows && sequenceOf(row) === sequence; row++) {
        convolve(first, row, state, start, end);
        const checkpoint = ints[at.checkpoints / 4 + row] as number;
        if (checkpoint >= 0) keep(first, row, state, stateOf(checkpoint), start, end);
      }
      keep(first, row - 1, state, state, start, end);
      first = row;
    }
  };
}

import type { BufferName, OpNeeds } from './op.js';

/**
 * A causal convolution of each channel alone: y[t] = Σ weight[channel, k] · x[t − taps + 1 + k]. `silu`: x is the input, and
 * the output is silu(y). `gated`: the thirds of the input are b, c and z, x = b · z, and the output is c · y.
 */
export interface ConvolutionOp {
  readonly op: 'convolution';
  /** Name of its state. */
  readonly state: string;
  readonly form: 'silu' | 'gated';
  readonly input: BufferName;
  readonly output: BufferName;
  /** Of the filter: the token itself, and those before it. */
  readonly taps: number;
  readonly channels: number;
  /** A vector, f32 [channels, taps]. */
  readonly weight: string;
}

/** A short convolution. It keeps the last taps − 1 of its x, f32 [taps − 1, channels]. */
export function convolution({ state, input, output, taps, channels, weight }: ConvolutionOp): OpNeeds {
  return {
    tensors: [weight],
    matrices: [],
    reads: [input],
    writes: [output],
    keeps: [{ kind: 'fixed', name: state, floats: (taps - 1) * channels }],
  };
}

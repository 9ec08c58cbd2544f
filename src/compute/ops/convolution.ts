import type { OpNeeds } from './op.js';

/**
 * mixed = c · convolution(b · x), where b, c and x are the thirds of `mixer`. The convolution is causal and of each channel
 * alone: y[t] = Σ weight[channel, k] · (b · x)[t − taps + 1 + k].
 */
export interface ConvolutionOp {
  readonly op: 'convolution';
  readonly layer: number;
  /** Of the filter: the token itself, and those before it. */
  readonly taps: number;
  readonly channels: number;
  /** A vector, f32 [channels, taps]. */
  readonly weight: string;
}

/** A gated short convolution. It keeps the last taps − 1 of its inputs, f32 [taps − 1, channels]. */
export function convolution({ layer, taps, channels, weight }: ConvolutionOp): OpNeeds {
  return {
    tensors: [weight],
    matrices: [],
    reads: ['mixer'],
    writes: ['mixed'],
    keeps: [{ kind: 'fixed', layer, floats: (taps - 1) * channels }],
  };
}

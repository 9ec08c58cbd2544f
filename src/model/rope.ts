/** Rotary position embedding: how fast each pair of dimensions turns. */

import type { GraphRope } from '../compute/index.js';

/** How the frequencies were stretched for a longer context. */
export type RopeScaling =
  | { readonly type: 'none' }
  | { readonly type: 'linear'; readonly factor: number }
  | { readonly type: 'factors'; readonly factors: readonly number[] }
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalContextLength: number;
    };

/** A rope of a model. `rotaryDim` dimensions of each head turn, as two halves. */
export interface Rope {
  readonly theta: number;
  readonly rotaryDim: number;
  readonly scaling: RopeScaling;
}

/**
 * The rope of the compute graph: the radians per position of each pair, f64 [rotaryDim / 2].
 * Sources: RoFormer (arXiv 2104.09864); llama3 zones as in transformers' `_compute_llama3_parameters`.
 */
export function graphRope(rope: Rope): GraphRope {
  const pairs = rope.rotaryDim / 2;
  const frequencies = new Float64Array(pairs);
  for (let i = 0; i < pairs; i++) {
    const frequency = rope.theta ** (-(2 * i) / rope.rotaryDim);
    frequencies[i] = scaleFrequency(frequency, i, rope.scaling);
  }
  return { frequencies, magnitude: 1 };
}

function scaleFrequency(frequency: number, pair: number, scaling: RopeScaling): number {
  switch (scaling.type) {
    case 'none':
      return frequency;
    case 'linear':
      return frequency / scaling.factor;
    case 'factors':
      return frequency / (scaling.factors[pair] ?? 1);
    case 'llama3': {
      const { factor, lowFreqFactor, highFreqFactor, originalContextLength } = scaling;
      const turns = (originalContextLength * frequency) / (2 * Math.PI);
      if (turns < lowFreqFactor) return frequency / factor;
      if (turns > highFreqFactor) return frequency;
      const smooth = (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
      return ((1 - smooth) * frequency) / factor + smooth * frequency;
    }
  }
}

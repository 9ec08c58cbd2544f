/** Rotary position embedding: how fast each pair of dimensions turns. */

import type { GraphRope } from '../compute/index.js';

/** How the frequencies were stretched for a longer context. */
export type RopeScaling =
  | { readonly type: 'none' }
  | { readonly type: 'linear'; readonly factor: number }
  | { readonly type: 'factors'; readonly factors: readonly number[] }
  | Yarn
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalContextLength: number;
    };

/** Pairs that turn often stay as they were, slow ones are stretched by `factor`, and those between get some of both. */
export interface Yarn {
  readonly type: 'yarn';
  readonly factor: number;
  readonly originalContextLength: number;
  /** Turns in the original context from which on a pair stays, and up to which it is stretched. */
  readonly betaFast: number;
  readonly betaSlow: number;
  /** Whether the ends of the ramp between them are rounded to whole pairs. */
  readonly truncate: boolean;
  /** Factor of each cosine and sine. */
  readonly magnitude: number;
}

/** A rope of a model. `rotaryDim` dimensions of each head turn, as two halves. */
export interface Rope {
  readonly theta: number;
  readonly rotaryDim: number;
  readonly scaling: RopeScaling;
}

/**
 * The rope of the compute graph: the radians per position of each pair, f64 [rotaryDim / 2].
 * Sources: RoFormer (arXiv 2104.09864); llama3 zones as in transformers' `_compute_llama3_parameters`;
 * YaRN (arXiv 2309.00071) as in `_compute_yarn_parameters`.
 */
export function graphRope(rope: Rope): GraphRope {
  const pairs = rope.rotaryDim / 2;
  const frequencies = new Float64Array(pairs);
  for (let i = 0; i < pairs; i++) {
    const frequency = rope.theta ** (-(2 * i) / rope.rotaryDim);
    frequencies[i] = scaleFrequency(frequency, i, rope);
  }
  return { frequencies, magnitude: rope.scaling.type === 'yarn' ? rope.scaling.magnitude : 1 };
}

function scaleFrequency(frequency: number, pair: number, rope: Rope): number {
  const { scaling } = rope;
  switch (scaling.type) {
    case 'none':
      return frequency;
    case 'linear':
      return frequency / scaling.factor;
    case 'factors':
      return frequency / (scaling.factors[pair] ?? 1);
    case 'yarn': {
      const stretched = stretchedPart(pair, rope, scaling);
      return (frequency / scaling.factor) * stretched + frequency * (1 - stretched);
    }
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

/** How much of a pair is stretched: 0 before the ramp, 1 behind it. */
function stretchedPart(pair: number, { theta, rotaryDim }: Rope, yarn: Yarn): number {
  const pairOf = (turns: number): number =>
    (rotaryDim * Math.log(yarn.originalContextLength / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const round = (first: number, last: number): [number, number] =>
    yarn.truncate ? [Math.floor(first), Math.ceil(last)] : [first, last];
  const [first, last] = round(pairOf(yarn.betaFast), pairOf(yarn.betaSlow));
  const [low, high] = [Math.max(first, 0), Math.min(last, rotaryDim - 1)];
  return Math.min(1, Math.max(0, (pair - low) / (high === low ? 0.001 : high - low)));
}

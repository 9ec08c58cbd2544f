import type { Norm, OpNeeds } from './op.js';

/**
 * branch = Σ weight(expert) · down(activation(gate(x)) · up(x)) with x = norm?(hidden), over the experts that a row's scores
 * choose. They are added in the order of their numbers.
 */
export interface ExpertsOp {
  readonly op: 'experts';
  readonly norm?: Norm;
  /** How many of the highest scores a row takes; of equal ones the first. */
  readonly chosen: number;
  /** The weights are the softmax over the scores of the chosen experts, or else over all scores. */
  readonly isRenormalised: boolean;
  /** [experts, width, hiddenSize] */
  readonly gate: string;
  readonly activation: 'silu' | 'gelu';
  /** [experts, width, hiddenSize] */
  readonly up: string;
  /** [experts, hiddenSize, width] */
  readonly down: string;
}

/** The experts of a layer; the op before has written their scores. */
export function experts({ norm, gate, up, down }: ExpertsOp): OpNeeds {
  return {
    tensors: [gate, up, down, norm?.weight].filter((name) => name !== undefined),
    matrices: [gate, up, down],
    reads: ['hidden', 'scores'],
    writes: ['branch'],
  };
}

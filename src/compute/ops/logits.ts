import type { Norm, OpNeeds } from './op.js';

/** logits = norm(hidden[logitRows]) · weightᵀ · scale, then softCap · tanh(logits / softCap) where there is one. */
export interface LogitsOp {
  readonly op: 'logits';
  readonly norm: Norm;
  readonly weight: string;
  readonly scale: number;
  readonly softCap?: number;
}

/** The final norm and the output matrix, for the rows whose logits are wanted. */
export function logits({ weight, norm }: LogitsOp): OpNeeds {
  return { tensors: [weight, norm.weight], matrices: [weight], reads: ['hidden'], writes: [] };
}

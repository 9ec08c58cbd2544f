import type { Norm, OpNeeds } from './op.js';

/** hidden += scale · norm?(branch). */
export interface AddNormOp {
  readonly op: 'addNorm';
  readonly norm?: Norm;
  readonly scale: number;
}

/** The output of a part of a layer joins the residual stream. */
export function addNorm({ norm }: AddNormOp): OpNeeds {
  const tensors = norm === undefined ? [] : [norm.weight];
  return { tensors, matrices: [], reads: ['hidden', 'branch'], writes: ['hidden'] };
}

import type { Norm, OpNeeds } from './op.js';

/** hidden += norm(branch). */
export interface AddNormOp {
  readonly op: 'addNorm';
  readonly norm: Norm;
}

/** The norm after a part of a layer. */
export function addNorm({ norm }: AddNormOp): OpNeeds {
  return { tensors: [norm.weight], matrices: [], reads: ['hidden', 'branch'], writes: ['hidden'], cachedLayers: [] };
}

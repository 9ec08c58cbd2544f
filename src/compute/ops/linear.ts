import type { BufferName, Norm, OpNeeds } from './op.js';

/** output (store | add | gate by silu or gelu) norm?(input) · weightsᵀ + bias. */
export interface LinearOp {
  readonly op: 'linear';
  readonly input: BufferName;
  readonly norm?: Norm;
  /** Panels of columns of one matrix, from the first column to the last; all but the last are multiples of 32. With a gate it is one. */
  readonly weights: readonly string[];
  readonly bias?: string;
  readonly output: BufferName;
  readonly epilogue: 'store' | 'add' | 'siluGate' | 'geluGate';
}

/** A product with its norm before and its epilogue after. */
export function linear({ input, norm, weights, bias, output, epilogue }: LinearOp): OpNeeds {
  return {
    tensors: [...weights, norm?.weight, bias].filter((name) => name !== undefined),
    matrices: [weights],
    reads: epilogue === 'add' ? [input, output] : [input],
    writes: [output],
  };
}

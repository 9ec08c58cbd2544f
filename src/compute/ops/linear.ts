import type { BufferName, Norm, OpNeeds, Projection } from './op.js';

/** A product whose activation multiplies another's results. */
export interface Gate extends Projection {
  readonly activation: 'silu' | 'gelu';
}

/** output = x · weightᵀ + bias with x = norm?(input), or activation(x · gateᵀ + its bias) times that; stored or added. */
export interface LinearOp extends Projection {
  readonly op: 'linear';
  readonly input: BufferName;
  readonly norm?: Norm;
  readonly gate?: Gate;
  readonly output: BufferName;
  /** A product with a gate is stored. */
  readonly epilogue: 'store' | 'add';
}

/** A product with its norm before and its epilogue after. */
export function linear({ input, norm, weight, bias, gate, output, epilogue }: LinearOp): OpNeeds {
  const tensors = [gate?.weight, weight, norm?.weight, gate?.bias, bias];
  return {
    tensors: tensors.filter((name) => name !== undefined),
    matrices: gate === undefined ? [weight] : [gate.weight, weight],
    reads: epilogue === 'add' ? [input, output] : [input],
    writes: [output],
  };
}

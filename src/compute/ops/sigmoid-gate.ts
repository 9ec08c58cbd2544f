import type { BufferName, OpNeeds } from './op.js';

/** values ← values · sigmoid(gate): each value has a factor of its own, or all of a row have the first. */
export interface SigmoidGateOp {
  readonly op: 'sigmoidGate';
  readonly values: BufferName;
  /** Of the values in a row. */
  readonly width: number;
  readonly spans: 'value' | 'row';
}

/** Activations times the sigmoid of the buffer `gate`. */
export function sigmoidGate({ values }: SigmoidGateOp): OpNeeds {
  return { tensors: [], matrices: [], reads: [values, 'gate'], writes: [values] };
}

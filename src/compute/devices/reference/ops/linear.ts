import { ROWS_PER_GROUP } from '../../../../weights/index.js';
import type { LinearOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const linear: RunOp<LinearOp> = (op, machine, { rows }) => {
  const { input, norm, weights, bias, output, epilogue } = op;
  const inputs = Array.from({ length: rows }, (_, row) => machine.norm(machine.row(input, row), norm));
  const addends = bias === undefined ? undefined : machine.vector(bias);
  for (const [row, products] of machine.multiply(weights, inputs).entries()) {
    const sums = addends === undefined ? products : products.map((value, i) => value + (addends[i] as number));
    const out = machine.row(output, row);
    for (let i = 0; i < out.length; i++) {
      if (epilogue === 'store') out[i] = sums[i] as number;
      else if (epilogue === 'add') out[i] = (out[i] as number) + (sums[i] as number);
      else out[i] = activations[epilogue](sums[gateRow(i)] as number) * (sums[gateRow(i) + ROWS_PER_GROUP] as number);
    }
  }
};

/** The row of the i-th gate: eight rows of gate and eight of up take turns. */
export function gateRow(i: number): number {
  const inGroup = i % ROWS_PER_GROUP;
  return (i - inGroup) * 2 + inGroup;
}

/** The activations of gates. */
export const activations = {
  /** x / (1 + e^−x). */
  siluGate: (x: number): number => x / (1 + Math.exp(-x)),
  /** Gaussian error linear unit, its approximation by tanh (arXiv 1606.08415). */
  geluGate: (x: number): number => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2,
} as const;

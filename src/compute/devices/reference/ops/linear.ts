import type { LinearOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const linear: RunOp<LinearOp> = (op, machine, { rows }) => {
  const { input, norm, gate, output, epilogue } = op;
  const inputs = Array.from({ length: rows }, (_, row) => machine.norm(machine.row(input, row), norm));
  const gates = gate === undefined ? undefined : machine.multiply(gate, inputs);
  for (const [row, products] of machine.multiply(op, inputs).entries()) {
    const out = machine.row(output, row);
    for (let i = 0; i < out.length; i++) {
      const value = products[i] as number;
      if (epilogue === 'add') out[i] = (out[i] as number) + value;
      else if (gate === undefined) out[i] = value;
      else out[i] = activations[gate.activation](gates?.[row]?.[i] as number) * value;
    }
  }
};

/** The activations of gates. */
export const activations = {
  /** x / (1 + e^−x). */
  silu: (x: number): number => x / (1 + Math.exp(-x)),
  /** Gaussian error linear unit, its approximation by tanh (arXiv 1606.08415). */
  gelu: (x: number): number => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2,
} as const;

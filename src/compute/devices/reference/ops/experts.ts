import type { ExpertsOp } from '../../../ops/index.js';
import type { Machine, RunOp } from '../machine.js';
import { activations } from './linear.js';

export const experts: RunOp<ExpertsOp> = (op, machine, { rows }) => {
  for (let row = 0; row < rows; row++) {
    const input = machine.norm(machine.row('hidden', row), op.norm);
    const scores = Array.from(machine.row('scores', row));
    const sum = new Float64Array(machine.row('branch', row).length);
    for (const [expert, weight] of choose(scores, op)) {
      const values = runExpert(op, machine, expert, input);
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + weight * (values[i] as number);
    }
    machine.row('branch', row).set(sum);
  }
};

/** The chosen experts in the order of their numbers, with their weights. */
function choose(scores: readonly number[], { chosen, isRenormalised }: ExpertsOp): [number, number][] {
  const best = [...scores.entries()].toSorted(([i, a], [j, b]) => b - a || i - j).slice(0, chosen);
  const largest = Math.max(...scores);
  const over = isRenormalised ? best.map(([, score]) => score) : scores;
  const total = over.reduce((sum, score) => sum + Math.exp(score - largest), 0);
  return best.toSorted(([i], [j]) => i - j).map(([expert, score]) => [expert, Math.exp(score - largest) / total]);
}

function runExpert(op: ExpertsOp, machine: Machine, expert: number, input: Float64Array): Float64Array {
  const { hiddenSize, experts: sizes = { width: 0 } } = machine.graph;
  const of = { expert, rows: sizes.width };
  const [gates = []] = machine.multiply({ weight: op.gate }, [input], of);
  const [factors = []] = machine.multiply({ weight: op.up }, [input], of);
  const activate = activations[op.activation];
  const inner = Float64Array.from(gates, (gate, i) => activate(gate) * (factors[i] as number));
  const [values = new Float64Array(0)] = machine.multiply({ weight: op.down }, [inner], { expert, rows: hiddenSize });
  return values;
}

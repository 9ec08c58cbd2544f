import type { LogitsOp } from '../../../ops/index.js';
import { capped, type RunOp } from '../machine.js';

export const logits: RunOp<LogitsOp> = ({ norm, weight, scale, softCap }, machine, { logitRows, numLogitRows }) => {
  const wanted = Array.from(logitRows.subarray(0, numLogitRows));
  const inputs = wanted.map((row) => machine.norm(machine.row('hidden', row), norm));
  for (const [index, values] of machine.multiply({ weight }, inputs).entries()) {
    machine.logits(index).set(values.map((value) => capped(value * scale, softCap)));
  }
};

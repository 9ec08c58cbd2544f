import type { AddNormOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const addNorm: RunOp<AddNormOp> = ({ norm, scale }, machine, { rows }) => {
  for (let row = 0; row < rows; row++) {
    const hidden = machine.row('hidden', row);
    const added = machine.norm(machine.row('branch', row), norm);
    for (let i = 0; i < hidden.length; i++) {
      hidden[i] = (hidden[i] as number) + scale * (added[i] as number);
    }
  }
};

import type { EmbedOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const embed: RunOp<EmbedOp> = ({ table, scale }, machine, { rows, tokenIds }) => {
  for (let row = 0; row < rows; row++) {
    const values = machine.weightRow(table, tokenIds[row] as number);
    machine.row('hidden', row).set(values.map((value) => value * scale));
  }
};

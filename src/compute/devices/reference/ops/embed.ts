import type { EmbedOp } from '../../../ops/index.js';
import type { RunOp } from '../machine.js';

export const embed: RunOp<EmbedOp> = ({ table, scale }, machine, { rows, tokenIds, given }) => {
  for (const { row, values } of given) machine.row('hidden', row).set(values);
  const areGiven = new Set(given.map(({ row }) => row));
  for (let row = 0; row < rows; row++) {
    if (areGiven.has(row)) continue;
    const values = machine.weightRow(table, tokenIds[row] as number);
    machine.row('hidden', row).set(values.map((value) => value * scale));
  }
};

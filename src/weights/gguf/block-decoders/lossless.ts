import { quantOf } from '../../quants/index.js';
import { repackers, type Repacker } from '../repack.js';
import type { DecodeBlock } from './decode-block.js';

/** A block by the quant that holds it without loss: as the first of eight rows. */
function decodeByQuant({ quant, rowBytes, repackGroup }: Repacker): DecodeBlock {
  const { blockColumns, groupBytes, unpackGroup } = quantOf(quant);
  const width = rowBytes(blockColumns);
  const rows = new Uint8Array(8 * width);
  const group = new Uint8Array(groupBytes(blockColumns));
  const values = new Float32Array(8 * blockColumns);
  return (bytes, at, out) => {
    rows.set(bytes.subarray(at, at + width));
    repackGroup(rows, blockColumns, group);
    unpackGroup(group, blockColumns, values);
    out.set(values.subarray(0, blockColumns));
  };
}

/** Types that a quant holds without loss: read as floats only where parts of one matrix differ, and in tests. */
export const lossless: Readonly<Record<string, DecodeBlock>> = Object.fromEntries(
  [...repackers].map(([type, repacker]) => [type, decodeByQuant(repacker)]),
);

import { AppError } from '../../base/index.js';
import { ROWS_PER_GROUP } from '../layout.js';
import { quantNames, quantOf, quants, type QuantName } from '../quants/index.js';

/**
 * How blocks of a GGUF type become packed groups of the quant that holds the same integers under the same f16 scales:
 * bytes change their places and nothing else.
 */
export interface Repacker {
  readonly quant: QuantName;
  /** Bytes of one row of `columns`, a multiple of its block's, as the file has it. */
  rowBytes(columns: number): number;
  /** Eight rows as the file has them → one packed group. Errors: `weight_not_finite`. */
  repackGroup(rows: Uint8Array, columns: number, out: Uint8Array): void;
}

/** `halves` f16 (scale, then minimum) and `integers` bytes: nibbles are paired in the file as they are in ours. */
function repacker(quant: QuantName, halves: number, integers: number): Repacker {
  const fileBytes = halves * 2 + integers;
  const packedBytes = quants[quant].groupBytes(32);
  const rowBytes = (columns: number): number => (columns / 32) * fileBytes;
  const repackBlock = (from: Uint8Array, at: number, out: Uint8Array, base: number, row: number): void => {
    for (let half = 0; half < halves; half++) {
      const to = base + integers * ROWS_PER_GROUP + half * 16 + row * 2;
      const high = from[at + half * 2 + 1] as number;
      if ((high & 0x7c) === 0x7c) {
        throw new AppError('weight_not_finite', 'a block has a scale or minimum that is NaN or infinite', {});
      }
      out[to] = from[at + half * 2] as number;
      out[to + 1] = high;
    }
    const start = at + halves * 2;
    for (let i = 0; i < integers; i++) out[base + (i >> 2) * 32 + row * 4 + (i & 3)] = from[start + i] as number;
  };
  return {
    quant,
    rowBytes,
    repackGroup(rows, columns, out) {
      for (let row = 0; row < ROWS_PER_GROUP; row++) {
        let at = row * rowBytes(columns);
        for (let block = 0; block * 32 < columns; block++, at += fileBytes) {
          repackBlock(rows, at, out, block * packedBytes, row);
        }
      }
    },
  };
}

/** Block types that are stored without loss, by their GGML name. */
export const repackers: ReadonlyMap<string, Repacker> = new Map(
  quantNames.flatMap((name): [string, Repacker][] => {
    const { ggml, bits, block, ggmlBlock, blockColumns } = quantOf(name);
    if (ggmlBlock !== undefined) {
      const rowBytes = (columns: number): number => (columns / blockColumns) * ggmlBlock.bytes;
      return [[ggml, { quant: name, rowBytes, repackGroup: ggmlBlock.repackGroup }]];
    }
    if (block === undefined) return [];
    return [[ggml, repacker(name, block.minima === undefined ? 1 : 2, (block.columns * bits) / 8)]];
  }),
);

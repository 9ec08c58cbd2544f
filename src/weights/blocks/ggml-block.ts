import type { GgmlBlock } from '../quants/quant.js';

/** Puts the block at `at` of a file's `rows` as `row` of the packed block at byte `base` of `out`, which `words` shows as u32. */
export type RepackRow = (
  rows: Uint8Array,
  at: number,
  out: Uint8Array,
  words: Uint32Array,
  base: number,
  row: number,
) => void;

/** A type whose blocks of `columns` columns have `bytes` a row in the file and `packedBytes` for 8 rows in a packed group. */
export function ggmlBlock(columns: number, bytes: number, packedBytes: number, repackRow: RepackRow): GgmlBlock {
  return {
    bytes,
    repackGroup(rows, width, out) {
      const words = new Uint32Array(out.buffer, out.byteOffset, out.length / 4);
      const end = (width / columns) * packedBytes;
      let at = 0;
      for (let row = 0; row < 8; row++) {
        for (let base = 0; base < end; base += packedBytes, at += bytes) repackRow(rows, at, out, words, base, row);
      }
    },
  };
}

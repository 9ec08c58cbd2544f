import { blockBytes } from '../matmul/nibble-block';
import { loadHalf } from '../vector';
import { Q4, Q4m } from '../quant-tags';

for (const $quant of ['Q4', 'Q4m']) {
  /** Rows of a table of $quant as f32 (kernel-interface.ts, Embed). */
  export function embed$quant(
    out: usize,
    outStride: usize,
    table: usize,
    columns: i32,
    tokenIds: usize,
    rowStart: i32,
    rowEnd: i32,
    scale: f32,
  ): void {
    const zero = isFloat<$quant>() ? 0 : 8;
    const blocks = <usize>((columns + 31) >> 5);
    for (let row = rowStart; row < rowEnd; row++) {
      const token = <usize>load<i32>(tokenIds + ((<usize>row) << 2));
      const inGroup = token & 7;
      let block = table + (token >> 3) * blocks * blockBytes<$quant>();
      let to = out + <usize>row * outStride;
      for (let i: usize = 0; i < blocks; i++) {
        const factor = loadHalf(block + 128 + inGroup * 2) * scale;
        const least: f32 = isFloat<$quant>() ? loadHalf(block + 144 + inGroup * 2) * scale : 0;
        for (let column: usize = 0; column < 16; column++) {
          const both = i32(load<u8>(block + ((column >> 2) << 5) + (inGroup << 2) + (column & 3)));
          store<f32>(to + (column << 2), <f32>((both & 15) - zero) * factor + least);
          store<f32>(to + (column << 2), <f32>((both >> 4) - zero) * factor + least, 64);
        }
        block += blockBytes<$quant>();
        to += 128;
      }
    }
  }
}

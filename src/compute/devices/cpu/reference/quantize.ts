import type { Kernels } from '../kernel-interface.js';
import type { Views } from './views.js';

/** `values` as int8 and the scale that gives them back. Every step is rounded to float32, as the kernels compute. */
export function quantizeBlock(values: Float32Array): { integers: Int8Array; scale: number } {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / 127);
  const integers = new Int8Array(values.length);
  for (let i = 0; scale !== 0 && i < values.length; i++) {
    const ratio = Math.fround((values[i] as number) / scale);
    integers[i] = Math.sign(ratio) * Math.min(127, Math.floor(Math.abs(ratio) + 0.5));
  }
  return { integers, scale };
}

/** Row quantisation (kernel-interface.ts, quantised row). */
export function createQuantizeRows(views: Views): Kernels['quantizeRows'] {
  return (out, outStride, x, xStride, columns, rowStart, rowEnd) => {
    const blocks = columns / 32;
    for (let row = rowStart; row < rowEnd; row++) {
      const to = out + row * outStride;
      for (let block = 0; block < blocks; block++) {
        const from = (x + row * xStride) / 4 + block * 32;
        const { integers, scale } = quantizeBlock(views.f32.slice(from, from + 32));
        views.i8.set(integers, to + block * 32);
        views.f32[(to + columns) / 4 + block] = scale;
        // The offsets of each 16 columns: those of the first and of the last two of each four.
        const sums = new Int32Array(4);
        for (const [i, value] of integers.entries()) {
          const part = (i >> 4) * 2 + ((i & 3) >> 1);
          sums[part] = (sums[part] as number) - 8 * value;
        }
        views.i32[(to + columns) / 4 + blocks + block] = sums.reduce((sum, part) => sum + part, 0);
        views.i16.set(sums, (to + columns) / 2 + 4 * (blocks + block));
      }
    }
  };
}

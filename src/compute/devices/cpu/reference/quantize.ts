import type { Kernels } from '../kernel-interface.js';
import type { Views } from './views.js';

/** `values` as int8 and the scale that gives them back. Every step is rounded to float32, as the kernels compute. */
export function quantizeBlock(values: Float32Array): { integers: Int8Array; scale: number } {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / 127);
  const integers = Int8Array.from(values, (value) => {
    if (scale === 0) return 0;
    const ratio = Math.fround(value / scale);
    return Math.sign(ratio) * Math.min(127, Math.floor(Math.abs(ratio) + 0.5));
  });
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
        const offset = (values: Int8Array): number => -8 * values.reduce((sum, value) => sum + value, 0);
        views.i32[(to + columns) / 4 + blocks + block] = offset(integers);
        for (let part = 0; part < 4; part++) {
          const half = integers.subarray((part >> 1) * 16, (part >> 1) * 16 + 16);
          views.i16[(to + columns) / 2 + 4 * (blocks + block) + part] = offset(
            half.filter((_, i) => (i & 3) >> 1 === (part & 1)),
          );
        }
      }
    }
  };
}

import type { Kernels, Norm } from '../kernel-interface.js';
import { readF32, readI32, type Views } from './views.js';

function inverseRms(views: Views, x: number, count: number, eps: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += readF32(views, x + i * 4) ** 2;
  return 1 / Math.sqrt(sum / count + eps);
}

/** RMS norm of rows, stored or added to the present values. */
export function createNorm(views: Views, adds: boolean): Norm {
  return (out, outStride, x, xStride, weight, columns, rowStart, rowEnd, eps) => {
    for (let row = rowStart; row < rowEnd; row++) {
      const from = x + row * xStride;
      const factor = inverseRms(views, from, columns, eps);
      for (let i = 0; i < columns; i++) {
        const value = readF32(views, from + i * 4) * factor * readF32(views, weight + i * 4);
        const at = (out + row * outStride) / 4 + i;
        views.f32[at] = adds ? (views.f32[at] as number) + value : value;
      }
    }
  };
}

/** RMS norm of heads, then rotary embedding by halves. */
export function createNormRope(views: Views): Kernels['normRope'] {
  return (x, xStride, numHeads, headDim, rotaryDim, table, tableStride, normWeight, eps, rowStart, rowEnd) => {
    const half = rotaryDim / 2;
    for (let row = rowStart; row < rowEnd; row++) {
      for (let head = 0; head < numHeads; head++) {
        const at = x + row * xStride + head * headDim * 4;
        const factor = normWeight === 0 ? 1 : inverseRms(views, at, headDim, eps);
        const values = Float64Array.from({ length: headDim }, (_, i) => {
          const weight = normWeight === 0 ? 1 : readF32(views, normWeight + i * 4);
          return readF32(views, at + i * 4) * factor * weight;
        });
        for (let i = 0; i < headDim; i++) {
          const value = i < rotaryDim ? rotated(views, values, i, half, table + row * tableStride) : values[i];
          views.f32[at / 4 + i] = value as number;
        }
      }
    }
  };
}

/** Heads minus an offset, then the product with a Hadamard matrix in Sylvester's order, by its definition. */
export function createSpreadHeads(views: Views): Kernels['spreadHeads'] {
  return (x, xStride, numHeads, headDim, rotaryDim, offset, table, rowStart, rowEnd) => {
    const half = rotaryDim / 2;
    const width = headDim & -headDim;
    const factor = 1 / Math.sqrt(width);
    for (let row = rowStart; row < rowEnd; row++) {
      for (let head = 0; head < numHeads; head++) {
        const at = x + row * xStride + head * headDim * 4;
        const offsets = Float64Array.from({ length: headDim }, (_, i) =>
          offset === 0 ? 0 : readF32(views, offset + (head * headDim + i) * 4),
        );
        const values = offsets.map((own, i) => {
          const turned = offset !== 0 && i < rotaryDim ? rotated(views, offsets, i, half, table) : own;
          return readF32(views, at + i * 4) - turned;
        });
        for (let i = 0; i < headDim; i++) {
          const first = i - (i % width);
          let sum = 0;
          for (let j = 0; j < width; j++) sum += sylvesterSign(i % width, j) * (values[first + j] as number);
          views.f32[at / 4 + i] = width < 4 ? (values[i] as number) : sum * factor;
        }
      }
    }
  };
}

/** The entry of Sylvester's Hadamard matrix: −1 to the number of ones that `row` and `column` share in binary. */
function sylvesterSign(row: number, column: number): number {
  let shared = row & column;
  let sign = 1;
  for (; shared !== 0; shared &= shared - 1) sign = -sign;
  return sign;
}

function rotated(views: Views, values: Float64Array, i: number, half: number, table: number): number {
  const pair = i % half;
  const cos = readF32(views, table + pair * 4);
  const sin = readF32(views, table + (half + pair) * 4);
  const a = values[pair] as number;
  const b = values[pair + half] as number;
  return i < half ? a * cos - b * sin : b * cos + a * sin;
}

/** Copies of chosen rows. */
export function createGatherRows(views: Views): Kernels['gatherRows'] {
  return (out, outStride, x, xStride, rowIndices, columns, count) => {
    for (let i = 0; i < count; i++) {
      const from = (x + readI32(views, rowIndices + i * 4) * xStride) / 4;
      views.f32.set(views.f32.slice(from, from + columns), (out + i * outStride) / 4);
    }
  };
}

/** One token of a gated delta rule, by its definition. */
export function createDeltaStep(views: Views): Kernels['deltaStep'] {
  return (out, state, query, key, value, change, keyDim, valueDim, decay, learned) => {
    const read = (by: number, column: number): number => {
      let sum = 0;
      for (let row = 0; row < keyDim; row++) {
        sum += readF32(views, by + row * 4) * readF32(views, state + (row * valueDim + column) * 4);
      }
      return sum;
    };
    for (let column = 0; column < valueDim; column++) {
      const wanted = learned * (readF32(views, value + column * 4) - decay * read(key, column));
      views.f32[change / 4 + column] = wanted;
      for (let row = 0; row < keyDim; row++) {
        const at = state / 4 + row * valueDim + column;
        views.f32[at] = decay * (views.f32[at] as number) + readF32(views, key + row * 4) * wanted;
      }
      views.f32[out / 4 + column] = read(query, column);
    }
  };
}

/** cap · tanh(x / cap), in place. */
export function createSoftCap(views: Views): Kernels['softCap'] {
  return (x, count, cap) => {
    for (let i = 0; i < count; i++) views.f32[x / 4 + i] = cap * Math.tanh(readF32(views, x + i * 4) / cap);
  };
}

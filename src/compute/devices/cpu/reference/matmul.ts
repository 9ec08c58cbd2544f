import { quantOf, type QuantName } from '../../../../weights/index.js';
import { EPILOGUE, isGate, type Matmul } from '../kernel-interface.js';
import { isFloat } from '../kernel-choice.js';
import { createPackedReader, createUnpacked } from './packed.js';
import { readF32, type Views } from './views.js';

/** The product of one row with one packed row. */
type Dot = (x: number, group: number, row: number, columns: number) => number;

/** float32 activations: the sum in float64. */
function createFloatDot(views: Views, quant: QuantName): Dot {
  const reader = createPackedReader(quant);
  return (x, group, row, columns) => {
    let sum = 0;
    for (let k = 0; k < columns; k++) sum += readF32(views, x + k * 4) * reader.element(views, group, row, k);
    return sum;
  };
}

/** Quantised activations: an exact integer for each block of 32, then its two scales; its minimum meets the sum of activations. */
function createIntegerDot(views: Views, quant: QuantName): Dot {
  const reader = createPackedReader(quant);
  return (x, group, row, columns) => {
    let sum = 0;
    for (let block = 0; block * 32 < columns; block++) {
      let integer = 0;
      let activations = 0;
      for (let k = block * 32; k < block * 32 + 32; k++) {
        integer += (views.i8[x + k] as number) * reader.element(views, group, row, k);
        activations += views.i8[x + k] as number;
      }
      const product = integer * reader.scale(views, group, row, block);
      const offset = activations * reader.minimum(views, group, row, block);
      sum += (product + offset) * readF32(views, x + columns + block * 4);
    }
    return sum;
  };
}

/** The same with weights as `unpackGroup` gives them, in float64: their quant has scales of two levels. */
function createUnpackedDot(views: Views, quant: QuantName): Dot {
  const weights = createUnpacked(views, quant);
  return (x, group, row, columns) => {
    const values = weights(group, columns);
    let sum = 0;
    for (let block = 0; block * 32 < columns; block++) {
      let product = 0;
      for (let k = block * 32; k < block * 32 + 32; k++) {
        product += (views.i8[x + k] as number) * (values[row * columns + k] as number);
      }
      sum += product * readF32(views, x + columns + block * 4);
    }
    return sum;
  };
}

/** How rows of a quant meet quantised or f32 activations. */
function createDot(views: Views, quant: QuantName): Dot {
  if (isFloat(quant)) return createFloatDot(views, quant);
  return quantOf(quant).block === undefined ? createUnpackedDot(views, quant) : createIntegerDot(views, quant);
}

/** x / (1 + e^−x). */
function silu(x: number): number {
  return x / (1 + Math.exp(-x));
}

/** Gaussian error linear unit, its approximation by tanh (arXiv 1606.08415). */
function gelu(x: number): number {
  return (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2;
}

/** Matrix product with weights stored as `quant`. */
export function createMatmul(views: Views, quant: QuantName): Matmul {
  const dot = createDot(views, quant);
  const { groupBytes: groupBytesOf } = quantOf(quant);
  return (out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue) => {
    const groupBytes = groupBytesOf(columns);
    // All rows of a group together: a reader of unpacked weights keeps the last group that it unpacked.
    const outputs = (group: number): Float64Array =>
      Float64Array.from({ length: rows * 8 }, (_, at) => {
        const product = dot(x + (at >> 3) * xStride, weights + group * groupBytes, at & 7, columns);
        return bias === 0 ? product : product + readF32(views, bias + group * 32 + (at & 7) * 4);
      });
    const activate = epilogue === EPILOGUE.geluGate ? gelu : silu;
    for (let group = groupStart; group < groupEnd; group += isGate(epilogue) ? 2 : 1) {
      const values = outputs(group);
      const gated = isGate(epilogue) ? outputs(group + 1) : undefined;
      for (const [at, value] of values.entries()) {
        const row = (out + (at >> 3) * outStride) / 4;
        if (gated !== undefined) views.f32[row + group * 4 + (at & 7)] = activate(value) * (gated[at] as number);
        else {
          const to = row + group * 8 + (at & 7);
          views.f32[to] = epilogue === EPILOGUE.add ? (views.f32[to] as number) + value : value;
        }
      }
    }
  };
}

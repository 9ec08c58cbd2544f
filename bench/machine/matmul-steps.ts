// The same matrix product on each step of the ladder: a loop in JavaScript, the same in WebAssembly, and every variant of
// the kernels. All take the same numbers and are held to the same answer before they are timed.

import { randomAt, randomKey } from '../../src/base/index.js';
import { instantiateKernels, kernelVariants, loadVariant } from '../../src/compute/devices/cpu/index.js';
import { matmulScratchBytes, quantizedRowBytes } from '../../src/compute/devices/cpu/kernel-interface.js';
import { packedMatrixBytes, packMatrix } from '../../src/weights/index.js';
import { instantiateScalar } from './scalar-module.js';

/** Columns of every product here: a hidden size of 2,048. */
export const COLUMNS = 2048;
const BLOCK = 32;
const BLOCKS = COLUMNS / BLOCK;
/** Rows of weights that repeat: kernels pack eight together. */
const GROUP = 8;
const PAGE = 65_536;
/** What rounding to 8 and to 4 bits may move answers by, as a share of their root mean square: it does by 1 % and 10 %. */
const TOLERANCE = { q8: 0.03, q4: 0.2 } as const;

/** A product: int8 activations [rows, COLUMNS] by weights [outputs, COLUMNS]. */
export interface Product {
  readonly quant: 'q8' | 'q4';
  readonly rows: number;
  readonly outputs: number;
}

/** `javascript`, `scalar`, or a variant of the kernels. */
export type Step = string;

/** Steps from the slowest on. The two loops know nothing of four bits. */
export function stepsOf(quant: Product['quant']): Step[] {
  return [...(quant === 'q8' ? ['javascript', 'scalar'] : []), ...kernelVariants.toReversed()];
}

/** A product that is ready to run again and again. */
export interface ReadyProduct {
  readonly run: () => void;
  /** Root mean square of its difference from the exact product, over that of the exact product. */
  readonly error: number;
  readonly isRight: boolean;
}

const weightKey = randomKey(1);
const activationKey = randomKey(2);
const weight = (row: number, column: number): number => randomAt(weightKey, (row % GROUP) * COLUMNS + column) - 0.5;
const activation = (row: number, column: number): number => randomAt(activationKey, row * COLUMNS + column) - 0.5;

/** Sets up `product` on `step`, in a memory of its own, runs it once and compares. `scalar`: the compiled module. */
export async function prepareProduct(step: Step, product: Product, scalar: WebAssembly.Module): Promise<ReadyProduct> {
  const made = step === 'javascript' || step === 'scalar' ? naive(step, product, scalar) : await kernel(step, product);
  made.run();
  const error = relativeError(product, made.out());
  return { run: made.run, error, isRight: error < TOLERANCE[product.quant] };
}

interface Runnable {
  readonly run: () => void;
  /** f32 [rows, outputs] */
  readonly out: () => Float32Array;
}

async function kernel(name: string, { quant, rows, outputs }: Product): Promise<Runnable> {
  const variant = kernelVariants.find((each) => each === name);
  if (variant === undefined) throw new Error(`no step ${name}`);
  const rowBytes = quantizedRowBytes(COLUMNS);
  const x = PAGE;
  const quantized = x + rows * COLUMNS * 4;
  const out = quantized + rows * rowBytes;
  const scratch = Math.ceil((out + rows * outputs * 4) / 4096) * 4096;
  const weights = Math.ceil((scratch + matmulScratchBytes(COLUMNS)) / 4096) * 4096;
  const bytes = weights + packedMatrixBytes(quant, outputs, COLUMNS);
  const pages = Math.ceil(bytes / PAGE) + 1;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const kernels = instantiateKernels(await loadVariant(variant), memory);
  const values = Float32Array.from({ length: GROUP * COLUMNS }, (_, i) => weight(Math.floor(i / COLUMNS), i % COLUMNS));
  const group = packMatrix(quant, values, GROUP, COLUMNS);
  const all = new Uint8Array(memory.buffer);
  for (let i = 0; i < outputs / GROUP; i++) all.set(group, weights + i * group.length);
  const floats = new Float32Array(memory.buffer, x, rows * COLUMNS);
  for (let i = 0; i < floats.length; i++) floats[i] = activation(Math.floor(i / COLUMNS), i % COLUMNS);
  kernels.quantizeRows(quantized, rowBytes, x, COLUMNS * 4, COLUMNS, 0, rows);
  const matmul = quant === 'q8' ? kernels.matmulQ8 : kernels.matmulQ4;
  return {
    run: () => matmul(out, outputs * 4, quantized, rowBytes, weights, COLUMNS, rows, 0, outputs / GROUP, 0, 0, scratch),
    out: () => new Float32Array(memory.buffer, out, rows * outputs),
  };
}

function naive(step: string, { rows, outputs }: Product, module: WebAssembly.Module): Runnable {
  const x = PAGE;
  const w = x + rows * COLUMNS;
  const xScales = w + outputs * COLUMNS;
  const wScales = xScales + rows * BLOCKS * 4;
  const out = wScales + outputs * BLOCKS * 4;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((out + rows * outputs * 4) / PAGE) + 1 });
  const views = {
    x: new Int8Array(memory.buffer, x, rows * COLUMNS),
    xScales: new Float32Array(memory.buffer, xScales, rows * BLOCKS),
    w: new Int8Array(memory.buffer, w, outputs * COLUMNS),
    wScales: new Float32Array(memory.buffer, wScales, outputs * BLOCKS),
    out: new Float32Array(memory.buffer, out, rows * outputs),
  };
  quantize(views.x, views.xScales, rows, activation);
  quantize(views.w, views.wScales, outputs, weight);
  const scalar = instantiateScalar(module, memory);
  const run =
    step === 'scalar'
      ? (): void => scalar.matmul(out, x, xScales, w, wScales, rows, outputs, COLUMNS)
      : (): void => matmulInJavaScript(views, rows, outputs);
  return { run, out: () => views.out };
}

/** Int8 blocks of 32 with a scale each: value = round(x / scale), scale = max|x| / 127. */
function quantize(
  out: Int8Array,
  scales: Float32Array,
  rows: number,
  at: (row: number, column: number) => number,
): void {
  for (let block = 0; block < rows * BLOCKS; block++) {
    const value = (i: number): number => at(Math.floor(block / BLOCKS), (block % BLOCKS) * BLOCK + i);
    const most = Math.max(...Array.from({ length: BLOCK }, (_, i) => Math.abs(value(i))));
    scales[block] = most / 127;
    for (let i = 0; i < BLOCK; i++) out[block * BLOCK + i] = Math.round((value(i) / most) * 127);
  }
}

interface NaiveViews {
  readonly x: Int8Array;
  readonly xScales: Float32Array;
  readonly w: Int8Array;
  readonly wScales: Float32Array;
  readonly out: Float32Array;
}

/** The loop that anybody would write first; the one in as/index.ts is the same. */
function matmulInJavaScript({ x, xScales, w, wScales, out }: NaiveViews, rows: number, outputs: number): void {
  for (let row = 0; row < rows; row++) {
    for (let output = 0; output < outputs; output++) {
      let sum = 0;
      for (let block = 0; block < BLOCKS; block++) {
        const a = row * COLUMNS + block * BLOCK;
        const b = output * COLUMNS + block * BLOCK;
        let inner = 0;
        for (let i = 0; i < BLOCK; i++) inner += (x[a + i] as number) * (w[b + i] as number);
        sum += inner * (xScales[row * BLOCKS + block] as number) * (wScales[output * BLOCKS + block] as number);
      }
      out[row * outputs + output] = sum;
    }
  }
}

/** Over the first rows and one group of outputs, which all others repeat. */
function relativeError({ rows, outputs }: Product, out: Float32Array): number {
  let [difference, size] = [0, 0];
  for (let row = 0; row < Math.min(rows, 4); row++) {
    for (let output = 0; output < GROUP; output++) {
      let exact = 0;
      for (let column = 0; column < COLUMNS; column++) exact += activation(row, column) * weight(output, column);
      difference += (exact - (out[row * outputs + output] as number)) ** 2;
      size += exact ** 2;
    }
  }
  return Math.sqrt(difference / size);
}

/**
 * Kernels on one thread: `node dist/bench/kernels/index.js [variant]`. One JSON line for each operation and shape:
 * GMAC/s (billions of multiply-adds a second) and GB/s of weights or KV cache read, best of several windows.
 */

import { performance } from 'node:perf_hooks';
import {
  attentionScratchBytes,
  kvHeadBytes,
  matmulScratchBytes,
  quantizedRowBytes,
  type Kernels,
} from '../../src/compute/devices/cpu/kernel-interface.js';
import {
  compileKernels,
  instantiateKernels,
  kernelVariants,
  loadVariant,
} from '../../src/compute/devices/cpu/index.js';
import { packedMatrixBytes, packMatrix, quantNames, quantOf, quants, type QuantName } from '../../src/weights/index.js';

const WINDOWS = 7;
const WINDOW_MS = 30;
const FIRST = 65_536;
const MEMORY_BYTES = 2 ** 29;

/** Best nanoseconds of one run of `run`. */
function measure(run: () => void): number {
  run();
  const start = performance.now();
  run();
  const turns = Math.max(1, Math.round(WINDOW_MS / Math.max(performance.now() - start, 0.001)));
  let best = Infinity;
  for (let window = 0; window < WINDOWS; window++) {
    const from = performance.now();
    for (let turn = 0; turn < turns; turn++) run();
    best = Math.min(best, ((performance.now() - from) * 1e6) / turns);
  }
  return best;
}

function report(variant: string, op: string, shape: object, nanoseconds: number, macs: number, bytes: number): void {
  const round = (value: number): number => Math.round(value * 100) / 100;
  const line = {
    op,
    variant,
    ...shape,
    gmacPerSecond: round(macs / nanoseconds),
    gbPerSecond: round(bytes / nanoseconds),
  };
  process.stdout.write(
    `${JSON.stringify({ ...line, micros: round(nanoseconds / 1000), node: process.versions.node })}\n`,
  );
}

interface MatmulShape {
  readonly quant: QuantName;
  readonly rows: number;
  readonly columns: number;
  readonly outputs: number;
}

/** Weights of ordinary size: one packed group, repeated. */
function writeWeights(memory: ArrayBufferLike, at: number, { quant, columns, outputs }: MatmulShape): void {
  const values = Float32Array.from({ length: 8 * columns }, (_, i) => Math.sin(i * 1.7) / 10);
  const group = packMatrix(quant, values, 8, columns);
  const bytes = new Uint8Array(memory);
  for (let i = 0; i < outputs / 8; i++) bytes.set(group, at + i * group.length);
}

function benchMatmul(variant: string, kernels: Kernels, memory: ArrayBufferLike, shape: MatmulShape): void {
  const { quant, rows, columns, outputs } = shape;
  const isInteger = quantOf(quant).activations === 'int8';
  const x = FIRST;
  const rowBytes = isInteger ? quantizedRowBytes(columns) : columns * 4;
  const quantized = x + rows * columns * 4;
  const out = quantized + rows * quantizedRowBytes(columns);
  const scratch = Math.ceil((out + rows * outputs * 4) / 4096) * 4096;
  const weights = scratch + Math.ceil(matmulScratchBytes(columns) / 4096) * 4096;
  writeWeights(memory, weights, shape);
  new Float32Array(memory, x, rows * columns).forEach((_, i, floats) => (floats[i] = Math.cos(i)));
  kernels.quantizeRows(quantized, quantizedRowBytes(columns), x, columns * 4, columns, 0, rows);
  const matmul = kernels[`matmul${quants[quant].kernel}`];
  const from = isInteger ? quantized : x;
  const time = measure(() =>
    matmul(out, outputs * 4, from, rowBytes, weights, columns, rows, 0, outputs / 8, 0, 0, scratch),
  );
  report(
    variant,
    `matmul-${quant}`,
    { rows, columns, outputs },
    time,
    rows * columns * outputs,
    packedMatrixBytes(quant, outputs, columns),
  );
}

function benchAttention(
  variant: string,
  kernels: Kernels,
  memory: ArrayBufferLike,
  format: 'f32' | 'q8',
  rows: number,
  context: number,
): void {
  const shape = { rows, context, headDim: 64, groupSize: 8 };
  const { headDim, groupSize } = shape;
  const blocks = Math.ceil(context / 32);
  const blockBytes = kvHeadBytes(format, headDim);
  const tables = FIRST;
  const sequences = tables + 4096;
  const positions = sequences + 4096;
  const query = positions + 4096;
  const stride = groupSize * headDim * 4;
  const out = query + rows * stride;
  const scratch = out + rows * stride;
  const cache = Math.ceil((scratch + attentionScratchBytes(groupSize, headDim)) / 4096) * 4096;
  const integers = new Int32Array(memory);
  for (let block = 0; block < blocks; block++) integers[tables / 4 + block] = block;
  for (let row = 0; row < rows; row++) {
    integers[sequences / 4 + row] = 0;
    integers[positions / 4 + row] = context - rows + row;
  }
  const key = cache + blocks * blockBytes;
  new Float32Array(memory, key, headDim).forEach((_, i, floats) => (floats[i] = Math.sin(i)));
  new Float32Array(memory, query, (rows * stride) / 4).forEach((_, i, floats) => (floats[i] = Math.cos(i)));
  const store = format === 'f32' ? kernels.storeKvF32 : kernels.storeKvQ8;
  for (let slot = 0; slot < blocks * 32; slot++) {
    integers[(key + 4096) / 4] = slot;
    store(cache, blockBytes, 0, headDim, key, key, 0, key + 4096, 0, 1);
  }
  const attend = format === 'f32' ? kernels.attentionF32 : kernels.attentionQ8;
  const time = measure(() =>
    attend(
      out,
      stride,
      query,
      stride,
      cache,
      blockBytes,
      0,
      groupSize,
      headDim,
      tables,
      0,
      sequences,
      positions,
      0,
      rows,
      0,
      0.125,
      0,
      0,
      scratch,
    ),
  );
  report(variant, `attention-${format}`, shape, time, 2 * rows * groupSize * headDim * context, blocks * blockBytes);
}

function benchRows(variant: string, kernels: Kernels): void {
  const columns = 2048;
  const x = FIRST;
  const out = x + columns * 4;
  const quantize = measure(() => kernels.quantizeRows(out, 0, x, 0, columns, 0, 1));
  report(variant, 'quantize-rows', { columns }, quantize, 0, columns * 4);
  const norm = measure(() => kernels.rmsNorm(out, 0, x, 0, x, columns, 0, 1, 1e-6));
  report(variant, 'rms-norm', { columns }, norm, 0, columns * 4);
}

const { rejected } = await compileKernels({ isPortable: false });
const memory = new WebAssembly.Memory({ initial: MEMORY_BYTES / 65_536, maximum: MEMORY_BYTES / 65_536, shared: true });
for (const variant of kernelVariants.filter((name) => process.argv[2] === undefined || name === process.argv[2])) {
  if (rejected.some((other) => other.variant === variant)) continue;
  const kernels = instantiateKernels(await loadVariant(variant), memory);
  for (const quant of quantNames) {
    for (const rows of [1, 2, 4, 64])
      benchMatmul(variant, kernels, memory.buffer, { quant, rows, columns: 2048, outputs: 256 });
  }
  // Larger than the caches: what decode sees.
  for (const quant of quantNames.filter((name) => quantOf(name).activations === 'int8'))
    benchMatmul(variant, kernels, memory.buffer, { quant, rows: 1, columns: 2048, outputs: 131_072 });
  for (const format of ['f32', 'q8'] as const)
    for (const context of [1000, 3000])
      for (const rows of [1, 64]) benchAttention(variant, kernels, memory.buffer, format, rows, context);
  benchRows(variant, kernels);
}

import { readFileSync } from 'node:fs';
import { assert } from '../base/index.js';

/**
 * The sampler's kernels (kernels-as/sampling.ts says what each does) and where their data lies, in bytes. `size`: tokens,
 * a multiple of `blockSize`. Plain SIMD128 with a fixed order of operations: the same bits on every CPU.
 */
export interface RowKernels {
  readonly blockSize: () => number;
  readonly valuesAt: () => number;
  readonly weightsAt: (size: number) => number;
  readonly idsAt: (size: number) => number;
  readonly listAt: (size: number) => number;
  readonly listMassesAt: (size: number) => number;
  readonly blockWeightsAt: (size: number) => number;
  readonly blockMaxAt: (size: number) => number;
  readonly endAt: (size: number) => number;
  readonly maxima: (size: number) => number;
  readonly allow: (size: number) => void;
  readonly listAtLeast: (size: number, limit: number) => number;
  readonly weigh: (size: number, max: number, scale: number, floor: number) => number;
  readonly totalMass: (size: number, max: number, scale: number) => number;
  readonly weightedHalvings: (size: number, max: number, scale: number) => number;
  readonly cutBucket: (
    size: number,
    max: number,
    scale: number,
    origin: number,
    cap: number,
    least: number,
    target: number,
  ) => number;
  readonly reached: () => number;
  readonly keepBuckets: (
    size: number,
    max: number,
    scale: number,
    origin: number,
    cap: number,
    least: number,
    bucket: number,
  ) => number;
  readonly dropListed: (
    size: number,
    max: number,
    scale: number,
    origin: number,
    cap: number,
    count: number,
    cut: number,
    room: number,
  ) => number;
  readonly heaviest: (size: number) => number;
  readonly keepWeights: (size: number, from: number, below: number) => number;
  readonly lightestFrom: (size: number, limit: number) => number;
}

/** One row of logits in a memory of its own, with what its kernels keep beside it. All views stay valid. */
export interface RowMemory {
  readonly kernels: RowKernels;
  /** The vocabulary, rounded up to whole blocks. */
  readonly size: number;
  /** Tokens of one block. */
  readonly blockSize: number;
  /** f32 [size]; −Infinity behind the vocabulary, which must stay. */
  readonly values: Float32Array;
  /** f32 [size]; not valid in a block whose sum is 0. */
  readonly weights: Float32Array;
  /** [size], a list that a kernel gives out: ids, numbers to order it by, and what each counts. */
  readonly ids: Int32Array;
  readonly list: Float32Array;
  readonly listMasses: Float32Array;
  /** u32 [size / 32], where `listMasses` is: the mask that `allow` reads. */
  readonly allowed: Uint32Array;
  /** f64 [size / blockSize] */
  readonly blockWeights: Float64Array;
  /** f32 [size / blockSize] */
  readonly blockMax: Float32Array;
}

const PAGE_BYTES = 65_536;

/** Every kernel, typed by `RowKernels`, so that none is forgotten. */
const names: Readonly<Record<keyof RowKernels, true>> = {
  blockSize: true,
  valuesAt: true,
  weightsAt: true,
  idsAt: true,
  listAt: true,
  listMassesAt: true,
  blockWeightsAt: true,
  blockMaxAt: true,
  endAt: true,
  maxima: true,
  allow: true,
  listAtLeast: true,
  weigh: true,
  totalMass: true,
  weightedHalvings: true,
  cutBucket: true,
  reached: true,
  keepBuckets: true,
  dropListed: true,
  heaviest: true,
  keepWeights: true,
  lightestFrom: true,
};

interface RowExports extends RowKernels {
  /** Fills the constants area: the first page of the memory. */
  readonly prepare: () => void;
}

function isRowExports(exports: object): exports is RowExports {
  const functions = new Map(Object.entries(exports));
  return ['prepare', ...Object.keys(names)].every((name) => typeof functions.get(name) === 'function');
}

/**
 * Memory for rows of `vocabSize` logits, about 20 bytes each. Synchronous: the module has 6 KB, and V8 compiles the same
 * bytes once in a process. It is the same for every backend.
 */
export function createRowMemory(vocabSize: number): RowMemory {
  const module = new WebAssembly.Module(readFileSync(new URL('../../kernels/sampling.wasm', import.meta.url)));
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports: kernels } = new WebAssembly.Instance(module, { env: { memory } });
  assert(isRowExports(kernels), 'the sampling module exports every kernel');
  const blockSize = kernels.blockSize();
  const size = Math.ceil(vocabSize / blockSize) * blockSize;
  memory.grow(Math.ceil(kernels.endAt(size) / PAGE_BYTES) - 1);
  kernels.prepare();
  const { buffer } = memory;
  const floats = (at: number, length: number): Float32Array => new Float32Array(buffer, at, length);
  return {
    kernels,
    size,
    blockSize,
    values: floats(kernels.valuesAt(), size).fill(-Infinity),
    weights: floats(kernels.weightsAt(size), size),
    ids: new Int32Array(buffer, kernels.idsAt(size), size),
    list: floats(kernels.listAt(size), size),
    listMasses: floats(kernels.listMassesAt(size), size),
    allowed: new Uint32Array(buffer, kernels.listMassesAt(size), size / 32),
    blockWeights: new Float64Array(buffer, kernels.blockWeightsAt(size), size / blockSize),
    blockMax: floats(kernels.blockMaxAt(size), size / blockSize),
  };
}

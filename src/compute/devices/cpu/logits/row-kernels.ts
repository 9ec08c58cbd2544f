import { readFileSync } from 'node:fs';
import { assert, locate } from '../../../../base/index.js';

/**
 * Kernels of the sampler that a thread group shares. Each call processes the blocks [from, to) as member `part`, over
 * the logits at `values` and the scratch at `row`. It returns its part's number, if any. kernels-as/sampling/index.ts
 * documents each.
 */
export interface SharedRowKernels {
  readonly copyRow: SharedRowKernel;
  readonly maxima: SharedRowKernel;
  readonly allow: SharedRowKernel;
  readonly blockMasses: SharedRowKernel;
  readonly countBuckets: SharedRowKernel;
  readonly listBucket: SharedRowKernel;
}

/** The arguments of all of them; each takes only as many of the last ones as it needs. */
export type SharedRowKernel = (
  values: number,
  row: number,
  size: number,
  part: number,
  from: number,
  to: number,
  a: number,
  b: number,
  c: number,
) => number | void;

/** Arguments of a shared kernel besides row and part: the address of the values, then its own. */
export const SHARED_ARGUMENTS = 4;

type At = (row: number, size: number) => number;
type Between = (row: number, size: number, from: number, to: number) => number;

/**
 * All of the sampler's kernels, and where their data lies, in bytes. `row`: where it begins; `size`: tokens, a multiple of
 * `blockSize`. Plain SIMD128 with a fixed order of operations: the same bits on every CPU.
 */
export interface RowKernels extends SharedRowKernels {
  readonly blockSize: () => number;
  readonly stepsAHalving: (size: number) => number;
  readonly numBuckets: (size: number) => number;
  readonly rowBytes: (size: number, parts: number) => number;
  readonly valuesAt: (row: number) => number;
  readonly idsAt: At;
  readonly listAt: At;
  readonly allowedAt: At;
  readonly blockMaxAt: At;
  readonly massesAt: At;
  readonly countsAt: (row: number, size: number, part: number) => number;
  readonly listAtLeast: (values: number, row: number, size: number, limit: number) => number;
  readonly sumOfBlocks: At;
  readonly weightOf: (halvings: number) => number;
  readonly joinBuckets: (row: number, size: number, parts: number, tokens: number) => number;
  readonly massBetween: Between;
  readonly momentBetween: Between;
  readonly cutAround: (row: number, size: number, middle: number, low: number, high: number, target: number) => number;
  readonly cutCounts: (row: number, size: number, target: number) => number;
  readonly before: At;
}

/** The shared kernels in a fixed order that every thread knows, so that a word may name one. */
export const sharedRowKernels: readonly (keyof SharedRowKernels)[] = [
  'copyRow',
  'maxima',
  'allow',
  'blockMasses',
  'countBuckets',
  'listBucket',
];

/** Every kernel, typed by `RowKernels`, so that none is forgotten. */
const names: Readonly<Record<keyof RowKernels, true>> = {
  copyRow: true,
  maxima: true,
  allow: true,
  blockMasses: true,
  countBuckets: true,
  listBucket: true,
  blockSize: true,
  stepsAHalving: true,
  numBuckets: true,
  rowBytes: true,
  valuesAt: true,
  idsAt: true,
  listAt: true,
  allowedAt: true,
  blockMaxAt: true,
  massesAt: true,
  countsAt: true,
  listAtLeast: true,
  sumOfBlocks: true,
  weightOf: true,
  joinBuckets: true,
  massBetween: true,
  momentBetween: true,
  cutAround: true,
  cutCounts: true,
  before: true,
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
 * The sampler's kernels over `memory`, whose first page they fill with constants: the same bytes from every thread and
 * from every set of kernels. `module`: as the device compiled it.
 */
export function instantiateRowKernels(memory: WebAssembly.Memory, module = compileRowKernels()): RowKernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  assert(isRowExports(exports), 'the sampling module exports every kernel');
  exports.prepare();
  return exports;
}

/** The sampler's kernels, compiled as the host compiles its own modules. */
export function compileRowKernels(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(locate('dist/kernels/sampling.wasm')));
}

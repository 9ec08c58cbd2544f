// The small cases of the start-up self-test: one call of every operation that computes, at addresses of their own.

import { EPILOGUE, kvHeadBytes, quantizedRowBytes, type Kernels, type KvFormat } from '../ops.js';

/** One call; `bytes` from `out` on are compared afterwards. */
export interface SelfTestCase {
  readonly name: string;
  readonly out: number;
  readonly bytes: number;
  /** How far a float32 may be off beside the largest; 0: bit by bit. */
  readonly tolerance: number;
  run(kernels: Kernels): void;
}

/** Of what is summed in another order: half of what the twins' suite allows beside the largest value, doubled twice for cases this small. */
const TOLERANCE = 2e-5;

const COLUMNS = 64;
/** More than what unpacked weights begin with, and odd. */
const ROWS = 21;
const GROUPS = 2;
const STRIDE = COLUMNS * 4;
const ROW_BYTES = quantizedRowBytes(COLUMNS);
const HEAD_DIM = 40;
const HEADS = 5;
const HEAD_STRIDE = 1024;

/** Where the inputs lie, after the reserved page. Matrices of any kind share their bytes; scales are set apart. */
export const AT = {
  ids: 0x10000,
  positions: 0x10100,
  sequences: 0x10200,
  slots: 0x10300,
  tables: 0x10400,
  x: 0x11000,
  heads: 0x13000,
  keys: 0x14000,
  norm: 0x15000,
  quantized: 0x16000,
  floatWeights: 0x17000,
  halfWeights: 0x19000,
  q8: 0x1b000,
  q4: 0x1d000,
  q4m: 0x1f000,
  scratch: 0x20000,
  cacheF32: 0x22000,
  cacheQ8: 0x2a000,
  out: 0x30000,
  end: 0x40000,
} as const;

/** Tokens that the cached context of the attention cases has: into the second block. */
export const CONTEXT = 34;

/** Bytes of one block of the attention cases. */
export function caseBlockBytes(format: KvFormat): number {
  return kvHeadBytes(format, HEAD_DIM);
}

type Name = 'F32' | 'Bf16' | 'F16' | 'Q8' | 'Q4' | 'Q4m';

const matrices: readonly { name: Name; weights: number }[] = [
  { name: 'F32', weights: AT.floatWeights },
  { name: 'Bf16', weights: AT.halfWeights },
  { name: 'F16', weights: AT.halfWeights },
  { name: 'Q8', weights: AT.q8 },
  { name: 'Q4', weights: AT.q4 },
  { name: 'Q4m', weights: AT.q4m },
];

function matrixCases(name: Name, weights: number): SelfTestCase[] {
  const isInteger = name.startsWith('Q');
  const x = isInteger ? AT.quantized : AT.x;
  const stride = isInteger ? ROW_BYTES : STRIDE;
  const shared = { out: AT.out, bytes: ROWS * STRIDE, tolerance: TOLERANCE };
  const matmul = (kernels: Kernels): void =>
    kernels[`matmul${name}`](
      AT.out,
      STRIDE,
      x,
      stride,
      weights,
      COLUMNS,
      ROWS,
      0,
      GROUPS,
      AT.norm,
      EPILOGUE.gate,
      AT.scratch,
    );
  return [
    {
      ...shared,
      name: `embed${name}`,
      run: (k) => k[`embed${name}`](AT.out, STRIDE, weights, COLUMNS, AT.ids, 0, ROWS, 1.5),
    },
    { ...shared, name: `matmul${name}`, run: matmul },
  ];
}

function attentionCases(name: 'F32' | 'Q8', cache: number): SelfTestCase[] {
  const block = caseBlockBytes(name === 'F32' ? 'f32' : 'q8');
  const store = (kernels: Kernels): void =>
    kernels[`storeKv${name}`](cache, block, 0, HEAD_DIM, AT.keys, AT.keys + 8, 16, AT.slots, 0, CONTEXT);
  const attend = (kernels: Kernels): void => {
    const [tables, rows, at] = [AT.tables, AT.sequences, AT.positions];
    const run = kernels[`attention${name}`];
    run(
      AT.out,
      HEAD_STRIDE,
      AT.heads,
      HEAD_STRIDE,
      cache,
      block,
      0,
      HEADS,
      HEAD_DIM,
      tables,
      8,
      rows,
      at,
      0,
      2,
      20,
      0.2,
      AT.scratch,
    );
  };
  return [
    { name: `storeKv${name}`, out: cache, bytes: 2 * block, tolerance: 0, run: store },
    { name: `attention${name}`, out: AT.out, bytes: 2 * HEAD_STRIDE, tolerance: TOLERANCE, run: attend },
  ];
}

/** Every operation, in an order in which later cases may read what earlier ones wrote. */
export const selfTestCases: readonly SelfTestCase[] = [
  {
    name: 'quantizeRows',
    out: AT.quantized,
    bytes: ROWS * ROW_BYTES,
    tolerance: 0,
    run: (k) => k.quantizeRows(AT.quantized, ROW_BYTES, AT.x, STRIDE, COLUMNS, 0, ROWS),
  },
  {
    name: 'rmsNorm',
    out: AT.out,
    bytes: ROWS * STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.rmsNorm(AT.out, STRIDE, AT.x, STRIDE, AT.norm, 61, 0, ROWS, 1e-6),
  },
  {
    name: 'gatherRows',
    out: AT.out,
    bytes: 2 * STRIDE,
    tolerance: 0,
    run: (k) => k.gatherRows(AT.out, STRIDE, AT.x, STRIDE, AT.sequences, COLUMNS, 2),
  },
  {
    name: 'normRope',
    out: AT.heads,
    bytes: 2 * HEAD_STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.normRope(AT.heads, HEAD_STRIDE, HEADS, HEAD_DIM, 20, AT.x, 128, AT.norm, 1e-6, 0, 2),
  },
  ...matrices.flatMap(({ name, weights }) => matrixCases(name, weights)),
  ...attentionCases('F32', AT.cacheF32),
  ...attentionCases('Q8', AT.cacheQ8),
];

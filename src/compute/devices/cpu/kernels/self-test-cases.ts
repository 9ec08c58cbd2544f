// The small cases of the start-up self-test: one call of every operation that computes, at addresses of their own.

import { alignUp } from '../../../../base/index.js';
import { quantNames, type QuantName } from '../../../../weights/index.js';
import { embedKernel, embedName, isFloat, matmulKernel, matmulName } from '../kernel-choice.js';
import type { KvFormat } from '../../../kv-block.js';
import { EPILOGUE, kvHeadBytes, quantizedRowBytes, type Kernels } from '../kernel-interface.js';

/** One call; `bytes` from `out` on are compared afterwards. */
export interface SelfTestCase {
  readonly name: string;
  readonly out: number;
  readonly bytes: number;
  /** Allowed error of a float32, relative to the largest value; 0: bit for bit. */
  readonly tolerance: number;
  run(kernels: Kernels): void;
}

/**
 * For sums in another order: half of the twins' suite's allowance relative to the largest value, doubled twice for
 * cases this small.
 */
const TOLERANCE = 2e-5;

/** More than a super-block, and no multiple of one. */
export const CASE_COLUMNS = 320;
/** Groups of eight rows that the cases read of a matrix: ids go up to 31. */
export const CASE_GROUPS = 4;
/** More than what unpacked weights begin with, and odd. */
const ROWS = 21;
const GROUPS = 2;
const STRIDE = CASE_COLUMNS * 4;
const ROW_BYTES = quantizedRowBytes(CASE_COLUMNS);
const HEAD_DIM = 40;
const HEADS = 5;
const HEAD_STRIDE = 1024;

/** Bytes for a matrix of any quant, and for a table of as many rows as there are ids. */
const MATRIX_BYTES = 0xa000;
const AFTER_MATRICES = 0x1f000 + quantNames.length * MATRIX_BYTES;

/** Addresses of the inputs, after the reserved page; a matrix of each quant, scales set apart. */
export const AT = {
  ids: 0x10000,
  positions: 0x10100,
  sequences: 0x10200,
  slots: 0x10300,
  tables: 0x10400,
  x: 0x11000,
  heads: 0x18000,
  keys: 0x19000,
  norm: 0x1a000,
  quantized: 0x1b000,
  matrices: 0x1f000,
  scratch: AFTER_MATRICES,
  cacheF32: AFTER_MATRICES + 0x4000,
  cacheQ8: AFTER_MATRICES + 0xc000,
  out: AFTER_MATRICES + 0x12000,
  end: alignUp(AFTER_MATRICES + 0x20000, 65_536),
} as const;

/** Start and end of a quant's matrix. */
export function matrixAt(quant: QuantName): { readonly start: number; readonly end: number } {
  const start = AT.matrices + quantNames.indexOf(quant) * MATRIX_BYTES;
  return { start, end: start + MATRIX_BYTES };
}

/** Tokens that the cached context of the attention cases has: into the second block. */
export const CONTEXT = 34;

/** Bytes of one block of the attention cases. */
export function caseBlockBytes(format: KvFormat): number {
  return kvHeadBytes(format, HEAD_DIM);
}

function matrixCases(quant: QuantName): SelfTestCase[] {
  const isInteger = !isFloat(quant);
  const weights = matrixAt(quant).start;
  const x = isInteger ? AT.quantized : AT.x;
  const stride = isInteger ? ROW_BYTES : STRIDE;
  const shared = { out: AT.out, bytes: ROWS * STRIDE, tolerance: TOLERANCE };
  const epilogue = isInteger ? EPILOGUE.siluGate : EPILOGUE.geluGate;
  const matmul = (kernels: Kernels): void =>
    matmulKernel(kernels, quant)(
      AT.out,
      STRIDE,
      x,
      stride,
      weights,
      CASE_COLUMNS,
      ROWS,
      0,
      GROUPS,
      AT.norm,
      epilogue,
      AT.scratch,
    );
  return [
    {
      ...shared,
      name: embedName(quant),
      run: (k) => embedKernel(k, quant)(AT.out, STRIDE, weights, CASE_COLUMNS, AT.ids, 0, ROWS, 1.5),
    },
    { ...shared, name: matmulName(quant), run: matmul },
  ];
}

function attentionCases(name: 'F32' | 'Q8', cache: number): SelfTestCase[] {
  const block = caseBlockBytes(name === 'F32' ? 'f32' : 'q8');
  const store = (kernels: Kernels): void =>
    kernels[`storeKv${name}`](cache, block, 0, HEAD_DIM, AT.keys, AT.keys + 8, 16, AT.slots, 0, CONTEXT);
  const attend = (kernels: Kernels): void => {
    const [tables, rows, at] = [AT.tables, AT.sequences, AT.positions];
    const run = kernels[`attention${name}`];
    // One format has a soft cap and sinks, the other none.
    const [softCap, sinks] = name === 'F32' ? [1.25, AT.norm] : [0, 0];
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
      softCap,
      sinks,
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
    run: (k) => k.quantizeRows(AT.quantized, ROW_BYTES, AT.x, STRIDE, CASE_COLUMNS, 0, ROWS),
  },
  {
    name: 'rmsNorm',
    out: AT.out,
    bytes: ROWS * STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.rmsNorm(AT.out, STRIDE, AT.x, STRIDE, AT.norm, 61, 0, ROWS, 1e-6),
  },
  {
    name: 'addNorm',
    out: AT.out,
    bytes: ROWS * STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.addNorm(AT.out, STRIDE, AT.x, STRIDE, AT.norm, 61, 0, ROWS, 1e-6),
  },
  {
    name: 'softCap',
    out: AT.out,
    bytes: STRIDE,
    tolerance: TOLERANCE,
    // Of what the case before wrote.
    run: (k) => k.softCap(AT.out, 60, 1.5),
  },
  {
    name: 'deltaStep',
    out: AT.out,
    bytes: 2 * HEAD_STRIDE,
    tolerance: TOLERANCE,
    // The state begins with what the case before wrote.
    run: (k) => {
      const [query, value] = [AT.norm + 64, AT.norm + 128];
      k.deltaStep(AT.out, AT.out + 128, query, AT.norm, value, AT.scratch, 12, 22, 0.75, 0.5);
    },
  },
  {
    name: 'gatherRows',
    out: AT.out,
    bytes: 2 * STRIDE,
    tolerance: 0,
    run: (k) => k.gatherRows(AT.out, STRIDE, AT.x, STRIDE, AT.sequences, CASE_COLUMNS, 2),
  },
  {
    name: 'normRope',
    out: AT.heads,
    bytes: 2 * HEAD_STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.normRope(AT.heads, HEAD_STRIDE, HEADS, HEAD_DIM, 20, AT.x, 128, AT.norm, 1e-6, 0, 2),
  },
  {
    name: 'spreadHeads',
    out: AT.heads,
    bytes: 2 * HEAD_STRIDE,
    tolerance: TOLERANCE,
    run: (k) => k.spreadHeads(AT.heads, HEAD_STRIDE, HEADS, HEAD_DIM, 20, AT.norm, AT.x, 0, 2),
  },
  ...quantNames.flatMap(matrixCases),
  ...attentionCases('F32', AT.cacheF32),
  ...attentionCases('Q8', AT.cacheQ8),
];

import { readFile } from 'node:fs/promises';
import { locate } from '../../../../base/index.js';
import { quantNames, quantOf } from '../../../../weights/index.js';
import type { Kernels } from '../kernel-interface.js';
import { createSharedMemory } from '../memory/wasm-memory.js';
import { createReferenceKernels } from '../reference/index.js';
import { AT, CASE_COLUMNS, CASE_GROUPS, CONTEXT, matrixAt, selfTestCases } from './self-test-cases.js';

const PAGES = AT.end / 65_536;

/** Holds kernel variants against the reference. */
export interface SelfTest {
  /** Memory with the inputs of all cases. */
  createMemory(): WebAssembly.Memory;
  /** The mistake of `kernels`, which work on `memory` from `createMemory`; undefined without one. */
  check(kernels: Kernels, memory: WebAssembly.Memory): string | undefined;
}

/** Sizes of the self-test's file: the inputs, then the expected bytes of each case in the cases' order. */
const FILE_BYTES = AT.end + selfTestCases.reduce((sum, test) => sum + test.bytes, 0);

/**
 * The self-test with the results that the build wrote (src/bin/build-self-test.ts): the reference takes a third of a second,
 * and every start waits for it. Errors: the file system's, and an Error where the file is another build's.
 */
export async function readSelfTest(): Promise<SelfTest> {
  const file = await readFile(locate('dist/kernels/self-test.bin'));
  if (file.length !== FILE_BYTES)
    throw new Error(`dist/kernels/self-test.bin has ${file.length} bytes, not ${FILE_BYTES}`);
  return createSelfTest(file);
}

/** Runs the reference over all cases. Returns the inputs, then the expected bytes of each case. */
export function computeSelfTest(): Uint8Array {
  const file = new Uint8Array(FILE_BYTES);
  const inputs = createInputs();
  file.set(inputs);
  const reference = createReferenceKernels(inputs.buffer);
  let at = inputs.length;
  for (const test of selfTestCases) {
    test.run(reference);
    file.set(inputs.subarray(test.out, test.out + test.bytes), at);
    at += test.bytes;
  }
  return file;
}

/** A self-test with inputs and results in the layout of `computeSelfTest`. */
export function createSelfTest(file: Uint8Array): SelfTest {
  const inputs = file.subarray(0, AT.end);
  let at = inputs.length;
  // A copy of each, at the beginning of a buffer of its own: `agree` reads it as floats.
  const expected = selfTestCases.map(({ bytes }) => new Uint8Array(file.subarray(at, (at += bytes))));
  return {
    createMemory() {
      const fresh = createSharedMemory(PAGES, 'the test of the kernels');
      new Uint8Array(fresh.buffer).set(inputs);
      return fresh;
    },
    check(kernels, { buffer }) {
      for (const [index, test] of selfTestCases.entries()) {
        test.run(kernels);
        const actual = new Uint8Array(buffer).slice(test.out, test.out + test.bytes);
        if (!agree(actual, expected[index] ?? actual.subarray(1), test.tolerance))
          return `computes ${test.name} wrongly`;
      }
      return undefined;
    },
  };
}

function agree(actual: Uint8Array, expected: Uint8Array, tolerance: number): boolean {
  if (tolerance === 0 || actual.length !== expected.length) return Buffer.compare(actual, expected) === 0;
  const a = new Float32Array(actual.buffer);
  const b = new Float32Array(expected.buffer);
  const limit = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0) * tolerance;
  return a.every((value, i) => Math.abs(value - (b[i] as number)) <= limit);
}

/** Numbers of ordinary size everywhere, indices where indices are read. The same on every run. */
function createInputs(): Uint8Array {
  const bytes = new Uint8Array(AT.end);
  let state = 1;
  // Numerical Recipes' linear congruential generator; only its upper bits are used.
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16;
  const floats = new Float32Array(bytes.buffer);
  for (let i = AT.x / 4; i < AT.matrices / 4; i++) floats[i] = random() / 32_768 - 1;
  const halves = new Uint16Array(bytes.buffer);
  for (const quant of quantNames) {
    const { start, end } = matrixAt(quant);
    const { bits, block, activations, groupBytes, packGroup } = quantOf(quant);
    if (block === undefined && activations === 'int8') {
      const group = new Float32Array(8 * CASE_COLUMNS);
      const groupSize = groupBytes(CASE_COLUMNS);
      for (let at = start; at < start + CASE_GROUPS * groupSize; at += groupSize) {
        for (let i = 0; i < group.length; i++) group[i] = random() / 32_768 - 1;
        packGroup(group, CASE_COLUMNS, bytes.subarray(at, at + groupSize));
      }
    } else if (block !== undefined) {
      for (let i = start; i < end; i++) bytes[i] = random() & 255 || 1;
      setScales(halves, start, end, block.bytes, block.scales, random);
    } else if (bits === 32) {
      for (let i = start / 4; i < end / 4; i++) floats[i] = random() / 32_768 - 1;
    } else {
      // Sign, an exponent around one, a random mantissa: an ordinary number both as bf16 and as f16.
      for (let i = start / 2; i < end / 2; i++) halves[i] = (random() & 0x83ff) | 0x3c00;
    }
  }
  const integers = new Int32Array(bytes.buffer);
  const put = (at: number, values: readonly number[]): void => integers.set(values, at / 4);
  put(AT.ids, [3, 0, 31, 8, 17, 30, 1, 12, 24, 2, 29, 16, 5, 11, 23, 7, 19, 26, 14, 9, 21]);
  put(AT.positions, [CONTEXT - 1, 7]);
  put(AT.sequences, [1, 0]);
  put(AT.tables, [1, 0, 0, 1]);
  put(
    AT.slots,
    Array.from({ length: CONTEXT }, (_, i) => i),
  );
  return bytes;
}

/** Ordinary f16 of both signs from `scalesAt` to the end of each block. */
function setScales(
  halves: Uint16Array,
  from: number,
  to: number,
  blockBytes: number,
  scalesAt: number,
  random: () => number,
): void {
  for (let block = from; block + blockBytes <= to; block += blockBytes) {
    for (let i = (block + scalesAt) / 2; i < (block + blockBytes) / 2; i++) halves[i] = (random() & 0x83ff) | 0x2000;
  }
}

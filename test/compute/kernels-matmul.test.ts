import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  EPILOGUE,
  matmulScratchBytes,
  quantizedRowBytes,
  type Kernels,
} from '../../src/compute/devices/cpu/kernel-interface.js';
import { packMatrix, quantNames, quantOf, quants, type QuantName } from '../../src/weights/index.js';
import {
  createImage,
  difference,
  FIRST,
  openVariants,
  randomFloats,
  runReference,
  type Image,
  type Output,
} from './kernel-memory.js';

const variants = await openVariants();
/** More than what any kernel unpacks weights for, and even. */
const ROWS = 22;

interface Shape {
  readonly quant: QuantName;
  readonly columns: number;
  readonly rows: number;
  readonly groups: number;
  readonly epilogue?: number;
  readonly bias?: boolean;
  readonly weightSize?: number;
}

interface Part {
  readonly firstRow?: number;
  readonly endRow?: number;
  readonly start?: number;
  readonly end?: number;
}

/** One product in memory. `run` takes all of it or a part. */
interface Product {
  readonly image: Image;
  readonly output: Output;
  run(kernels: Kernels, part?: Part): void;
}

/** The room for sums at the end of each quantised row (kernel-interface.ts). */
function roomsOf(quantized: number, rows: number, columns: number): { at: number; bytes: number }[] {
  const rowBytes = quantizedRowBytes(columns);
  return Array.from({ length: rows }, (_, row) => ({ at: quantized + row * rowBytes + (columns * 3) / 2, bytes: 64 }));
}

function lay(shape: Shape): Product {
  const { quant, columns, rows, groups, epilogue = EPILOGUE.store, weightSize = 1 } = shape;
  const image = createImage();
  const isInteger = quantOf(quant).activations === 'int8';
  const x = image.floats(randomFloats(rows * columns, 1, 3));
  const rowBytes = isInteger ? quantizedRowBytes(columns) : columns * 4;
  const quantized = image.take(rows * rowBytes);
  const values = randomFloats(groups * 8 * columns, 2, weightSize);
  const weights = image.copy(packMatrix(quant, values, groups * 8, columns));
  const bias = shape.bias ? image.floats(randomFloats(groups * 8, 3, 5)) : 0;
  const stride = groups * 32 + 32;
  const out = image.floats(randomFloats((rows * stride) / 4, 4));
  const scratch = image.take(matmulScratchBytes(columns));
  const rooms = [
    ...roomsOf(quantized, isInteger ? rows : 0, columns),
    { at: scratch, bytes: matmulScratchBytes(columns) },
  ];
  return {
    image,
    output: { at: out, bytes: rows * stride, tolerance: 1e-5, rooms },
    run(kernels, { firstRow = 0, endRow = rows, start = 0, end = groups } = {}) {
      if (isInteger) kernels.quantizeRows(quantized, rowBytes, x, columns * 4, columns, firstRow, endRow);
      const to = out + firstRow * stride;
      const from = (isInteger ? quantized : x) + firstRow * rowBytes;
      const count = endRow - firstRow;
      const matmul = kernels[`matmul${quants[quant].kernel}`];
      matmul(to, stride, from, rowBytes, weights, columns, count, start, end, bias, epilogue, scratch);
    },
  };
}

function expectTwins(shape: Shape, part?: Part): void {
  const product = lay(shape);
  const expected = runReference(product.image, (kernels) => product.run(kernels, part));
  for (const { variant, run } of variants) {
    const actual = run(product.image, (kernels) => product.run(kernels, part));
    expect(difference(actual, expected, product.output), `${variant} ${JSON.stringify({ ...shape, ...part })}`).toBe(
      undefined,
    );
  }
}

describe.each(quantNames)('matmul with %s weights', (quant) => {
  it.each([32, 64, 96, 160, 352])('equals the reference at %i columns and any number of rows', (columns) => {
    for (const rows of [1, 2, 3, 4, 5, 7, 8, 13, 22])
      expectTwins({ quant, columns, rows, groups: 3, bias: rows % 2 === 1 });
  });

  it('equals the reference where a few rows take the columns in runs, the last of them shorter', () => {
    for (const rows of [5, 6, 7, 9]) expectTwins({ quant, columns: 864, rows, groups: 3 });
  });

  it('equals the reference where a few rows exceed the first cache', () => {
    for (const rows of [8, 11, 15]) expectTwins({ quant, columns: 4096, rows, groups: 3 });
  });

  it('computes only the groups it is asked for', () => {
    expectTwins({ quant, columns: 64, rows: 5, groups: 7 }, { start: 1, end: 6 });
    expectTwins({ quant, columns: 64, rows: 5, groups: 7 }, { start: 3, end: 3 });
    expectTwins({ quant, columns: 96, rows: 1, groups: 7 }, { start: 6, end: 7 });
  });

  it('adds to what is there', () => {
    for (const rows of [1, 4, 6]) {
      for (const bias of [false, true]) {
        expectTwins({ quant, columns: 96, rows, groups: 3, epilogue: EPILOGUE.add, bias });
      }
    }
  });

  it.each(['siluGate', 'geluGate'] as const)('gates pairs of groups: %s', (name) => {
    const epilogue = EPILOGUE[name];
    for (const rows of [1, 3, 4, 9]) {
      for (const bias of [false, true]) {
        expectTwins({ quant, columns: 96, rows, groups: 6, epilogue, bias });
      }
    }
    const part = { start: 2, end: 6 };
    expectTwins({ quant, columns: 64, rows: 5, groups: 8, epilogue, bias: true }, part);
  });

  it('is exact where f16 scales are subnormal', () => {
    expectTwins({ quant, columns: 64, rows: 3, groups: 2, weightSize: 1e-4 });
  });

  // Few rows of many columns exceed the first cache, and go another way together than alone.
  it.each([
    { columns: 160, rows: 64, groups: 6, chunks: [1, 7, 33] },
    { columns: 864, rows: 9, groups: 5, chunks: [1, 4, 5] },
    { columns: 3072, rows: 11, groups: 5, chunks: [1, 3, 4] },
  ])('gives a row the same bits whatever rows and groups come with it, $columns columns', ({ chunks, ...shape }) => {
    const { rows, groups } = shape;
    const product = lay({ ...shape, quant, epilogue: EPILOGUE.siluGate, bias: true });
    for (const { run } of variants) {
      const whole = run(product.image, (kernels) => product.run(kernels));
      for (const chunk of chunks) {
        const chunked = run(product.image, (kernels) => {
          for (let firstRow = 0; firstRow < rows; firstRow += chunk) {
            const part = { firstRow, endRow: Math.min(rows, firstRow + chunk) };
            product.run(kernels, { ...part, start: 0, end: 2 });
            product.run(kernels, { ...part, start: 2, end: groups });
          }
        });
        expect(difference(chunked, whole, { ...product.output, tolerance: 0 })).toBe(undefined);
      }
    }
  });
});

describe('integer sums', () => {
  it('are exact at the largest values', () => {
    for (const quant of quantNames.filter((name) => quantOf(name).activations === 'int8')) {
      const image = createImage();
      const ones = new Float32Array(64).map((_, i) => (i % 2 === 0 ? 1 : -1));
      const x = image.floats(Float32Array.from({ length: ROWS * 64 }, (_, i) => ones[i % 64] as number));
      const weights = image.copy(
        packMatrix(
          quant,
          Float32Array.from({ length: 16 * 64 }, (_, i) => ones[i % 64] as number),
          16,
          64,
        ),
      );
      const rowBytes = quantizedRowBytes(64);
      const quantized = image.take(ROWS * rowBytes);
      const scratch = image.take(matmulScratchBytes(64));
      const out = image.take(ROWS * 64);
      const run = (kernels: Kernels): void => {
        kernels.quantizeRows(quantized, rowBytes, x, 256, 64, 0, ROWS);
        kernels[`matmul${quants[quant].kernel}`](out, 64, quantized, rowBytes, weights, 64, ROWS, 0, 2, 0, 0, scratch);
        kernels[`matmul${quants[quant].kernel}`](out, 64, quantized, rowBytes, weights, 64, 1, 0, 2, 0, 0, scratch);
      };
      const rooms = [...roomsOf(quantized, ROWS, 64), { at: scratch, bytes: matmulScratchBytes(64) }];
      const expected = runReference(image, run);
      for (const { run: bench } of variants) {
        const output = { at: out, bytes: ROWS * 64, tolerance: 1e-6, rooms };
        expect(difference(bench(image, run), expected, output)).toBe(undefined);
      }
    }
  });
});

describe('a q8 weight of −128', () => {
  it.each([5, ROWS])('which GGUF files may hold, is a number like others to %i rows', (rows) => {
    const image = createImage();
    const x = image.floats(randomFloats(rows * 64, 1, 3));
    const packed = packMatrix('q8', randomFloats(16 * 64, 2), 16, 64);
    for (let i = 0; i < 256; i += 3) packed[i] = 0x80;
    const weights = image.copy(packed);
    const rowBytes = quantizedRowBytes(64);
    const quantized = image.take(rows * rowBytes);
    const scratch = image.take(matmulScratchBytes(64));
    const rooms = [...roomsOf(quantized, rows, 64), { at: scratch, bytes: matmulScratchBytes(64) }];
    const out = image.take(rows * 64);
    const run = (kernels: Kernels): void => {
      kernels.quantizeRows(quantized, rowBytes, x, 256, 64, 0, rows);
      kernels.matmulQ8(out, 64, quantized, rowBytes, weights, 64, rows, 0, 2, 0, 0, scratch);
    };
    const expected = runReference(image, run);
    for (const { run: bench } of variants) {
      const output = { at: out, bytes: rows * 64, tolerance: 1e-5, rooms };
      expect(difference(bench(image, run), expected, output)).toBe(undefined);
    }
  });
});

/** The result of one product with every epilogue at work, by each variant. */
function resultsOf(quant: QuantName): { variant: string; bytes: Uint8Array }[] {
  const product = lay({ quant, columns: 96, rows: 7, groups: 4, epilogue: EPILOGUE.siluGate, bias: true });
  const { at, bytes } = product.output;
  return variants.map(({ variant, run }) => {
    const memory = run(product.image, (kernels) => product.run(kernels));
    return { variant, bytes: memory.slice(at - FIRST, at - FIRST + bytes) };
  });
}

describe('the variants with relaxed instructions', () => {
  it.each(quantNames)('give the same bits with %s weights', (quant) => {
    const [first, ...others] = resultsOf(quant).filter(({ variant }) => variant !== 'portable');
    expect(others.length).toBeGreaterThan(0);
    for (const { variant, bytes } of others) expect(bytes, variant).toEqual(first?.bytes);
  });
});

describe('the portable variant', () => {
  it('gives these bits on every CPU', () => {
    const hashOf = (names: readonly QuantName[]): string => {
      const hash = createHash('sha256');
      for (const quant of names) {
        hash.update(resultsOf(quant).find(({ variant }) => variant === 'portable')?.bytes ?? '');
      }
      return hash.digest('hex').slice(0, 16);
    };
    const first: readonly QuantName[] = ['f32', 'bf16', 'f16', 'q8', 'q4', 'q4m'];
    expect(hashOf(first)).toBe('f7ea4d4d5f0f0a45');
    expect(hashOf(quantNames.filter((quant) => !first.includes(quant)))).toBe('1d12177f46c17948');
  });
});

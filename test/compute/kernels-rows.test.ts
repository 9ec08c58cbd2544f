import { describe, expect, it } from 'vitest';
import { quantizedRowBytes, type Kernels } from '../../src/compute/devices/cpu/kernel-interface.js';
import { packMatrix, quantNames, quants } from '../../src/weights/index.js';
import {
  createImage,
  difference,
  FIRST,
  openVariants,
  randomFloats,
  runReference,
  type Image,
} from './kernel-memory.js';

const variants = await openVariants();

/** Both variants leave what the reference leaves: `bytes` floats at `at` within `tolerance`, all else to the bit. */
function expectTwins(
  image: Image,
  at: number,
  bytes: number,
  tolerance: number,
  run: (kernels: Kernels) => void,
): void {
  const expected = runReference(image, run);
  for (const { variant, run: bench } of variants) {
    expect(difference(bench(image, run), expected, { at, bytes, tolerance }), variant).toBe(undefined);
  }
}

describe.each(quantNames)('embed from a %s table', (quant) => {
  it.each([32, 72, 96, 352])('equals the reference at %i columns and clears the padding', (columns) => {
    const image = createImage();
    const table = image.copy(packMatrix(quant, randomFloats(37 * columns, 1), 37, columns));
    const ids = image.integers([5, 0, 36, 8, 8, 21, 31]);
    const stride = Math.ceil(columns / 32) * 128 + 64;
    const out = image.take(stride * 7);
    const embed = (kernels: Kernels): void =>
      kernels[`embed${quants[quant].kernel}`](out, stride, table, columns, ids, 1, 6, 3.5);
    expectTwins(image, out, stride * 7, 1e-6, embed);
  });
});

describe('quantizeRows', () => {
  it('equals the reference to the bit', () => {
    for (const columns of [32, 64, 96, 160, 352]) {
      for (const size of [1e-30, 1, 1000]) {
        const image = createImage();
        const x = image.floats(randomFloats(13 * columns, columns, size));
        const rowBytes = quantizedRowBytes(columns);
        const out = image.take(rowBytes * 13);
        const quantize = (kernels: Kernels): void =>
          kernels.quantizeRows(out, rowBytes, x, columns * 4, columns, 2, 11);
        expectTwins(image, out, rowBytes * 13, 0, quantize);
      }
    }
  });

  it('rounds halves away from zero, and takes zeros and the smallest numbers', () => {
    const image = createImage();
    const halves = Array.from({ length: 32 }, (_, i) => (i === 0 ? 127 : i - 16 + 0.5));
    const tiny = Array.from({ length: 32 }, (_, i) => i * 2 ** -149 * 7 * (i % 2 === 0 ? 1 : -1));
    const nearly = Array.from({ length: 32 }, (_, i) => (i === 0 ? 127 : i + 0.5 - 2 ** -20));
    const x = image.floats([...halves, ...Array<number>(32).fill(0), ...tiny, ...nearly]);
    const out = image.take(quantizedRowBytes(128));
    const quantize = (kernels: Kernels): void => kernels.quantizeRows(out, 0, x, 0, 128, 0, 1);
    expectTwins(image, out, 0, 0, quantize);
    const result = runReference(image, quantize).subarray(out - 65_536);
    expect([...new Int8Array(result.slice(1, 4))]).toEqual([-15, -14, -13]);
    expect([...new Int8Array(result.slice(17, 20))]).toEqual([2, 3, 4]);
    expect([...new Int8Array(result.slice(97, 99))]).toEqual([1, 2]);
  });
});

describe.each(['rmsNorm', 'addNorm'] as const)('%s', (name) => {
  it('equals the reference and leaves the padding alone', () => {
    for (const columns of [32, 61, 96, 353]) {
      const image = createImage();
      const stride = 1472;
      const x = image.floats(randomFloats(7 * 368, columns, 4));
      const weight = image.floats(randomFloats(columns, 2));
      const out = image.floats(randomFloats(7 * 368, columns + 1));
      const norm = (kernels: Kernels): void => kernels[name](out, stride, x, stride, weight, columns, 1, 6, 1e-5);
      expectTwins(image, out, stride * 7, 1e-5, norm);
    }
  });
});

describe('gatherRows', () => {
  it('copies rows in the order asked', () => {
    const image = createImage();
    const x = image.floats(randomFloats(9 * 64, 1));
    const indices = image.integers([8, 0, 3, 3]);
    const out = image.take(5 * 256);
    expectTwins(image, out, 0, 0, (kernels) => kernels.gatherRows(out, 256, x, 256, indices, 50, 4));
  });
});

describe('normRope', () => {
  const shapes = [
    { headDim: 8, rotaryDim: 8 },
    { headDim: 16, rotaryDim: 16 },
    { headDim: 24, rotaryDim: 12 },
    { headDim: 64, rotaryDim: 64 },
    { headDim: 80, rotaryDim: 20 },
    { headDim: 128, rotaryDim: 128 },
    { headDim: 256, rotaryDim: 256 },
  ];
  it.each(shapes)('equals the reference at headDim $headDim, rotaryDim $rotaryDim', ({ headDim, rotaryDim }) => {
    for (const hasNorm of [false, true]) {
      const image = createImage();
      const heads = 3;
      const stride = headDim * heads * 4 + 64;
      const x = image.floats(randomFloats((stride / 4) * 5, headDim, 2));
      const angles = randomFloats((rotaryDim / 2) * 5, 3, 3);
      const table = image.floats(
        Array.from({ length: rotaryDim * 5 }, (_, i) => {
          const row = Math.floor(i / rotaryDim);
          const place = i % rotaryDim;
          const angle = angles[(row * rotaryDim) / 2 + (place % (rotaryDim / 2))] as number;
          return place < rotaryDim / 2 ? Math.cos(angle) : Math.sin(angle);
        }),
      );
      const weight = hasNorm ? image.floats(randomFloats(headDim, 4, 2)) : 0;
      const run = (kernels: Kernels): void =>
        kernels.normRope(x, stride, heads, headDim, rotaryDim, table, rotaryDim * 4, weight, 1e-6, 1, 5);
      expectTwins(image, x, stride * 5, 1e-5, run);
    }
  });
});

describe('spreadHeads', () => {
  const shapes = [
    { headDim: 4, rotaryDim: 4 },
    { headDim: 6, rotaryDim: 6 },
    { headDim: 8, rotaryDim: 4 },
    { headDim: 64, rotaryDim: 64 },
    { headDim: 80, rotaryDim: 32 },
    { headDim: 96, rotaryDim: 96 },
    { headDim: 128, rotaryDim: 128 },
    { headDim: 256, rotaryDim: 64 },
  ];
  const heads = 3;

  it.each(shapes)('equals the reference at headDim $headDim, rotaryDim $rotaryDim', ({ headDim, rotaryDim }) => {
    for (const hasOffset of [false, true]) {
      const image = createImage();
      const stride = headDim * heads * 4 + 64;
      const x = image.floats(randomFloats((stride / 4) * 5, headDim, 2));
      const table = image.floats(randomFloats(rotaryDim, 3, 1));
      const offset = hasOffset ? image.floats(randomFloats(headDim * heads, 4, 100)) : 0;
      const run = (kernels: Kernels): void =>
        kernels.spreadHeads(x, stride, heads, headDim, rotaryDim, offset, table, 1, 5);
      expectTwins(image, x, stride * 5, 1e-5, run);
    }
  });

  it('keeps products of queries and keys, and gives one outlier to all dims alike', () => {
    const image = createImage();
    const query = image.floats(randomFloats(64, 1, 2));
    const key = image.floats([...randomFloats(30, 2, 2), 300, ...randomFloats(33, 3, 2)]);
    const read = (bytes: Uint8Array, at: number): Float32Array => new Float32Array(bytes.buffer, at, 64);
    const dot = (bytes: Uint8Array): number =>
      read(bytes, query).reduce((sum, q, i) => sum + q * (read(bytes, key)[i] ?? 0), 0);
    const after = new Uint8Array(image.bytes.length);
    const spread = (kernels: Kernels): void => {
      for (const at of [query, key]) kernels.spreadHeads(at, 256, 1, 64, 64, 0, 0, 0, 1);
    };
    after.set(runReference(image, spread), FIRST);
    expect(Math.abs(dot(after) / dot(image.bytes) - 1)).toBeLessThan(1e-4);
    expect(Math.max(...read(after, key).map(Math.abs))).toBeLessThan(300 / 8 + 8);
  });
});

describe('deltaStep', () => {
  it.each([
    { keyDim: 12, valueDim: 20 },
    { keyDim: 7, valueDim: 22 },
    { keyDim: 128, valueDim: 128 },
  ])('equals the reference at keyDim $keyDim, valueDim $valueDim', ({ keyDim, valueDim }) => {
    const image = createImage();
    const [query, key] = [1, 2].map((seed) => image.floats(randomFloats(keyDim, seed, 0.2)));
    const value = image.floats(randomFloats(valueDim, 3, 1));
    const change = image.take(valueDim * 4);
    // The state, and the output behind it.
    const state = image.floats(randomFloats(keyDim * valueDim + valueDim, 4, 1));
    const out = state + keyDim * valueDim * 4;
    const steps = (kernels: Kernels): void => {
      for (const learned of [0.5, 0.9]) {
        kernels.deltaStep(out, state, query ?? 0, key ?? 0, value, change, keyDim, valueDim, 0.8, learned);
      }
    };
    const bytes = state + (keyDim + 1) * valueDim * 4 - change;
    expectTwins(image, change, bytes, 1e-5, steps);
  });
});

describe('softCap', () => {
  it('equals the reference, from the least numbers to those that overflow an exponential', () => {
    for (const cap of [0.75, 30, 50]) {
      for (const size of [1e-30, 1e-3, 1, 30, 1e4, 3e38]) {
        const image = createImage();
        const x = image.floats(randomFloats(68, 3, size));
        expectTwins(image, x + 16, 256, 2e-6, (kernels) => kernels.softCap(x + 16, 64, cap));
      }
    }
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileRepackKernels,
  createRepackKernels,
  quants,
  repackers,
  type Repacker,
} from '../../src/weights/index.js';

const PAGE_BYTES = 65_536;
const OUT = 8 * PAGE_BYTES;
/** What lies where nothing shall be written. */
const UNTOUCHED = 0xa5;

const memory = new WebAssembly.Memory({ initial: 32, maximum: 32, shared: true });
const kernels = createRepackKernels(memory, compileRepackKernels());
const all = new Uint8Array(memory.buffer);

/** Bytes of a small generator (xorshift), without f16 that are no numbers where `finite`. */
function bytesOf(length: number, seed: number, finite: boolean): Uint8Array {
  let state = seed | 1;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const byte = state & 255;
    return finite && (byte & 0x7c) === 0x7c ? byte ^ 4 : byte;
  });
}

/** The group that the twin makes, or the code of its error. */
function slowly({ repackGroup }: Repacker, rows: Uint8Array, columns: number, size: number): Uint8Array | string {
  const out = new Uint8Array(size);
  try {
    repackGroup(rows, columns, out);
    return out;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** The same of the kernel, with rows `gap` bytes apart and nothing written beside. */
function quickly(
  repacker: Repacker,
  rows: Uint8Array,
  columns: number,
  size: number,
  gap: number,
): Uint8Array | string {
  const width = repacker.rowBytes(columns);
  all.fill(UNTOUCHED, OUT - 64, OUT + size + 64);
  for (let row = 0; row < 8; row++) all.set(rows.subarray(row * width, (row + 1) * width), row * (width + gap));
  try {
    kernels.of(repacker.quant)(0, width + gap, columns, OUT);
  } catch (error) {
    return (error as { code: string }).code;
  }
  expect(all.subarray(OUT - 64, OUT).every((byte) => byte === UNTOUCHED)).toBe(true);
  expect(all.subarray(OUT + size, OUT + size + 64).every((byte) => byte === UNTOUCHED)).toBe(true);
  return all.slice(OUT, OUT + size);
}

describe.each([...repackers])('the kernel that repacks %s', (_, repacker) => {
  const { groupBytes, blockColumns } = quants[repacker.quant];
  const shapes = fc.record({
    blocks: fc.integer({ min: 1, max: 9 }),
    gap: fc.constantFrom(0, 2, 34, 210, 1_001),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  });

  it.each([
    ['moves bytes as its twin does', true, 300],
    ['refuses scales that are no numbers as its twin does', false, 100],
  ])('%s, whatever the shape', (__, finite, numRuns) => {
    fc.assert(
      fc.property(shapes, ({ blocks, gap, seed }) => {
        const columns = blocks * blockColumns;
        const rows = bytesOf(8 * repacker.rowBytes(columns), seed, finite);
        const expected = slowly(repacker, rows, columns, groupBytes(columns));
        expect(typeof expected === 'string' && finite).toBe(false);
        const made = quickly(repacker, rows, columns, groupBytes(columns), gap);
        // One comparison of the whole is much quicker than of each byte.
        expect(typeof made === 'string' ? made : Buffer.from(made).equals(Buffer.from(expected))).toBe(
          typeof expected === 'string' ? expected : true,
        );
      }),
      { numRuns, seed: 20_261_126 },
    );
  });
});

describe('a scale or minimum that is no number', () => {
  it.each([...repackers])('of one row and block of %s is found', (ggml, repacker) => {
    const { groupBytes, blockColumns } = quants[repacker.quant];
    const columns = 2 * blockColumns;
    const width = repacker.rowBytes(columns);
    const block = width / 2;
    const halves = ggml === 'Q6_K' ? [208] : /_1$|_K$/.test(ggml) ? [0, 2] : [0];
    for (const half of halves) {
      for (let at = 0; at < 16; at++) {
        const rows = new Uint8Array(8 * width);
        rows[at * block + half + 1] = at % 2 === 0 ? 0x7c : 0xfe;
        expect(slowly(repacker, rows, columns, groupBytes(columns)), `half ${half} of ${at}`).toBe('weight_not_finite');
        expect(quickly(repacker, rows, columns, groupBytes(columns), 0)).toBe('weight_not_finite');
      }
    }
  });
});

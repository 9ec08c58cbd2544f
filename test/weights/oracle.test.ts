import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import {
  bf16ArrayToF32,
  f16ArrayToF32,
  f16ToF32,
  f32ArrayToBf16,
  f32ArrayToF16,
  f32ToF16,
  packMatrix,
  quants,
  repackers,
} from '../../src/weights/index.js';

const folder = join(process.cwd(), 'test/vectors/quants');
const bytesOf = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(join(folder, name)));
const floatsOf = (name: string): Float32Array => new Float32Array(bytesOf(name).buffer);
const input = floatsOf('quantize_input_finite.f32');

interface Quantized {
  rows: number;
  columns: number;
  expected_hex: string;
}
const quantized = (type: string): Quantized & { bytes: Uint8Array<ArrayBuffer> } => {
  const read = JSON.parse(readFileSync(join(folder, `${type}.quantize.json`), 'utf8')) as Quantized;
  return { ...read, bytes: Uint8Array.from(Buffer.from(read.expected_hex, 'hex')) };
};

describe('half and brain floats', () => {
  it.each([
    ['F16', f16ArrayToF32],
    ['BF16', bf16ArrayToF32],
  ] as const)('%s reads as the gguf package reads it, bit for bit', (type, convert) => {
    const stored = new Uint16Array(bytesOf(`${type}.bin`).buffer);
    const out = new Float32Array(stored.length);
    convert(stored, out);
    expect(new Uint32Array(out.buffer)).toEqual(new Uint32Array(floatsOf(`${type}.f32`).buffer));
  });

  it.each([
    ['F16', f32ArrayToF16],
    ['BF16', f32ArrayToBf16],
  ] as const)('%s rounds as the gguf package rounds, bit for bit', (type, convert) => {
    const expected = new Uint16Array(quantized(type).bytes.buffer);
    const out = new Uint16Array(input.length);
    convert(input, out);
    expect(out).toEqual(expected);
  });

  it('every f16 but NaN comes back from its float', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = f16ToF32(bits);
      if (Number.isNaN(value)) expect(f32ToF16(value)).toBe(0x7e00);
      else if (f32ToF16(value) !== bits) expect.fail(`${bits} → ${value} → ${f32ToF16(value)}`);
    }
  });

  it('f16 rounds a tie to the even neighbour and a hair more upwards', () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const middle = (f16ToF32(bits) + f16ToF32(bits + 1)) / 2;
      if (f32ToF16(middle) !== (bits & 1 ? bits + 1 : bits)) expect.fail(`tie above ${bits}`);
      if (f32ToF16(Math.fround(middle * (1 + 2 ** -22))) !== bits + 1) expect.fail(`above the tie over ${bits}`);
    }
  });
});

/** GGUF's blocks of one row after another, as values and f16 scale, from our packed groups. */
function scalesAndBytes(packed: Uint8Array, block: number, row: number, columns: number, kind: 'q8' | 'q4' | 'q4m') {
  const perRow = columns / 32;
  const blockBytes = { q8: 272, q4: 144, q4m: 160 }[kind];
  const scales = kind === 'q8' ? 256 : 128;
  const group = Math.floor(row / 8) * perRow * blockBytes;
  const base = group + block * blockBytes;
  const r = row % 8;
  const scale = packed.subarray(base + scales + r * 2, base + scales + r * 2 + 2);
  const count = kind === 'q8' ? 32 : 16;
  const bytes = Uint8Array.from({ length: count }, (_, i) => packed[base + (i >> 2) * 32 + r * 4 + (i & 3)] as number);
  return { scale, minimum: packed.subarray(base + 144 + r * 2, base + 144 + r * 2 + 2), bytes };
}

describe('quantising against GGML', () => {
  it('q4 gives the integers and scales of Q4_0', () => {
    const { rows, columns, bytes } = quantized('Q4_0');
    const packed = packMatrix('q4', input, rows, columns);
    for (let row = 0; row < rows; row++) {
      for (let block = 0; block < columns / 32; block++) {
        const at = (row * (columns / 32) + block) * 18;
        const ours = scalesAndBytes(packed, block, row, columns, 'q4');
        expect(ours.scale).toEqual(bytes.subarray(at, at + 2));
        if ((bytes[at] as number) + ((bytes[at + 1] as number) & 127) === 0) continue;
        expect(ours.bytes, `row ${row} block ${block}`).toEqual(bytes.subarray(at + 2, at + 18));
      }
    }
  });

  it('q4m gives the integers, scales and minima of Q4_1, but for blocks that end in zero', () => {
    const { rows, columns, bytes } = quantized('Q4_1');
    const packed = packMatrix('q4m', input, rows, columns);
    let compared = 0;
    for (let row = 0; row < rows; row++) {
      for (let block = 0; block < columns / 32; block++) {
        if (input[row * columns + block * 32 + 31] === 0) continue;
        const at = (row * (columns / 32) + block) * 20;
        const ours = scalesAndBytes(packed, block, row, columns, 'q4m');
        expect(ours.scale).toEqual(bytes.subarray(at, at + 2));
        expect(ours.minimum).toEqual(bytes.subarray(at + 2, at + 4));
        expect(ours.bytes, `row ${row} block ${block}`).toEqual(bytes.subarray(at + 4, at + 20));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan((rows * columns) / 64);
  });

  it('q8 gives the scales of Q8_0 and integers at most one step away where the scale is normal', () => {
    const { rows, columns, bytes } = quantized('Q8_0');
    const packed = packMatrix('q8', input, rows, columns);
    let different = 0;
    for (let row = 0; row < rows; row++) {
      for (let block = 0; block < columns / 32; block++) {
        const at = (row * (columns / 32) + block) * 34;
        const ours = scalesAndBytes(packed, block, row, columns, 'q8');
        expect(ours.scale).toEqual(bytes.subarray(at, at + 2));
        if (((bytes[at + 1] as number) & 0x7c) === 0) continue;
        const theirs = new Int8Array(bytes.buffer, at + 2, 32);
        new Int8Array(ours.bytes.buffer).forEach((q, i) => {
          const step = Math.abs(q - (theirs[i] as number));
          expect(step).toBeLessThanOrEqual(1);
          different += step;
        });
      }
    }
    // Ours divides by the scale as stored: a few values that lay on the border fall to the other side.
    expect(different).toBeLessThan(rows * columns * 0.02);
  });

  it.each([
    ['q5', 'Q5_0'],
    ['q5m', 'Q5_1'],
  ] as const)('%s gives the bytes of %s, but for blocks that end in zero', (quant, type) => {
    const { rows, columns, bytes } = quantized(type);
    const repacker = present(repackers.get(type), 'it is stored without loss');
    const group = new Uint8Array(quants[quant].groupBytes(columns));
    let compared = 0;
    for (let first = 0; first < rows; first += 8) {
      const eight = new Float32Array(8 * columns);
      eight.set(input.subarray(first * columns, Math.min(rows, first + 8) * columns));
      const ours = new Float32Array(8 * columns);
      const theirs = new Float32Array(8 * columns);
      quants[quant].packGroup(eight, columns, group);
      quants[quant].unpackGroup(group, columns, ours);
      const width = repacker.rowBytes(columns);
      const stored = new Uint8Array(8 * width);
      stored.set(bytes.subarray(first * width, Math.min(rows, first + 8) * width));
      repacker.repackGroup(stored, columns, group);
      quants[quant].unpackGroup(group, columns, theirs);
      for (let block = 0; block < Math.min(8, rows - first) * (columns / 32); block++) {
        if (quant === 'q5m' && eight[block * 32 + 31] === 0) continue;
        expect(ours.subarray(block * 32, block * 32 + 32)).toEqual(theirs.subarray(block * 32, block * 32 + 32));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan((rows * columns) / 64);
  });
});

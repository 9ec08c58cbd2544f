import { describe, expect, it } from 'vitest';
import { quantNames, quants, packedMatrixBytes, packMatrix, unpackMatrix } from '../../src/weights/index.js';
import { blockCases, seededNormals } from './blocks.js';

describe.each(quantNames)('quant %s', (name) => {
  const quant = quants[name];

  it('is listed under its own name', () => expect(quant.name).toBe(name));

  it.each(blockCases(name))('comes back within its bound: $what', ({ rows, columns, values }) => {
    const back = unpackMatrix(name, packMatrix(name, values, rows, columns), rows, columns);
    for (let row = 0; row < rows; row++) {
      for (let start = 0; start < columns; start += quant.blockColumns) {
        const from = row * columns + start;
        const to = row * columns + Math.min(columns, start + quant.blockColumns);
        const bound = quant.maxError(values.subarray(from, to));
        for (let i = from; i < to; i++) {
          const error = Math.abs((back[i] as number) - (values[i] as number));
          if (!(error <= bound)) {
            expect.fail(`row ${row} column ${i - row * columns}: ${values[i]} came back as ${back[i]}, bound ${bound}`);
          }
        }
      }
    }
  });

  // Of two levels of scales the upper one is chosen anew.
  it.skipIf(quant.blockColumns === 256)('packs what it unpacked to the same bytes', () => {
    const values = seededNormals(8 * 64, 11);
    const once = unpackMatrix(name, packMatrix(name, values, 8, 64), 8, 64);
    const twice = unpackMatrix(name, packMatrix(name, once, 8, 64), 8, 64);
    expect(twice).toEqual(once);
  });

  it('pads rows and columns with zeros', () => {
    const packed = packMatrix(name, seededNormals(3 * 40, 5), 3, 40);
    expect(packed.length).toBe(packedMatrixBytes(name, 3, 40));
    expect(packed.length).toBe(quant.groupBytes(64));
    const group = new Float32Array(8 * 64);
    quant.unpackGroup(packed, 64, group);
    for (let row = 0; row < 8; row++) {
      for (let k = row < 3 ? 40 : 0; k < 64; k++) expect(Math.abs(group[row * 64 + k] as number)).toBe(0);
    }
  });
});

describe('quant layout', () => {
  const rows = 8;
  const columns = 64;

  it('q8 puts row r, column 4s + c of a block at 32s + 4r + c, scales behind', () => {
    for (const [row, column] of [
      [0, 0],
      [3, 5],
      [7, 31],
      [2, 32 + 17],
    ] as const) {
      const values = new Float32Array(rows * columns);
      values[row * columns + column] = 127;
      const packed = packMatrix('q8', values, rows, columns);
      const inBlock = column % 32;
      const base = Math.floor(column / 32) * 272;
      expect(packed[base + 32 * (inBlock >> 2) + 4 * row + (inBlock & 3)]).toBe(127);
      expect(packed[base + 256 + 2 * row + 1]).toBe(0x3c);
      expect(packed.filter((byte) => byte !== 0).length).toBe(2);
    }
  });

  it('q4 puts column 4s + c in the low nibble at 32s + 4r + c and column 16 + 4s + c in the high one', () => {
    for (const [row, column] of [
      [0, 0],
      [5, 14],
      [7, 31],
      [2, 32 + 17],
    ] as const) {
      const values = new Float32Array(rows * columns);
      values[row * columns + column] = -8;
      const packed = packMatrix('q4', values, rows, columns);
      const inBlock = column % 32;
      const base = Math.floor(column / 32) * 144;
      const at = base + 32 * ((inBlock & 15) >> 2) + 4 * row + (inBlock & 3);
      expect(packed[at]).toBe(inBlock < 16 ? 0x80 : 0x08);
      expect(packed[base + 128 + 2 * row + 1]).toBe(0x3c);
      const nibbles = packed.filter((_, i) => i % 144 < 128);
      expect(nibbles.filter((byte) => byte !== 0x88).length).toBe(1);
    }
  });

  it.each(['f32', 'bf16', 'f16'] as const)('%s stores eight rows side by side for each column', (name) => {
    const values = Float32Array.from({ length: rows * columns }, (_, i) => i);
    const packed = packMatrix(name, values, rows, columns);
    const width = name === 'f32' ? 4 : 2;
    const cell = packMatrix(name, Float32Array.of(2 * columns + 3), 1, 1).subarray(0, width);
    expect(packed.subarray((3 * 8 + 2) * width, (3 * 8 + 2) * width + width)).toEqual(cell);
  });
});

describe('quant limits', () => {
  it.each([
    ['f16', 70_000],
    ['f16', 65_520],
    ['q8', 1e8],
    ['q4', -1e7],
    ['bf16', 3.4e38],
    ['bf16', -3.4028234e38],
  ] as const)('%s refuses %d with weight_overflow', (name, value) => {
    expect(() => packMatrix(name, Float32Array.of(0, value), 1, 2)).toThrowError(
      expect.objectContaining({ code: 'weight_overflow' }),
    );
  });

  it('f16 takes 65519, which rounds to its largest number', () => {
    expect(unpackMatrix('f16', packMatrix('f16', Float32Array.of(65_519), 1, 1), 1, 1)[0]).toBe(65_504);
  });

  it('q8 never stores -128', () => {
    const values = seededNormals(8 * 320, 3).map((x) => x * 1e-7);
    const packed = packMatrix('q8', values, 8, 320);
    for (let block = 0; block < 10; block++) {
      expect(packed.subarray(block * 272, block * 272 + 256)).not.toContain(0x80);
    }
  });
});

import assert from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { list, text, u32, type HeaderContent } from '../../bench/gguf/gguf-writer.js';
import { blockDecoders } from '../../src/weights/gguf/block-decoders/index.js';
import { formats, openGguf, quants, repackers, TextList, unpackMatrix } from '../../src/weights/index.js';
import { ggufFile, sampleFile } from './gguf-file.js';
import { mutateBlocks, mutateGgufs } from './gguf-mutations.js';
import { inDirectory } from './safetensors-file.js';

const vectors = join(process.cwd(), 'test/vectors/quants');
const name = 'model.gguf';

/** Runs `use` on the path of a file with these bytes. */
async function onFile<T>(bytes: Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  return inDirectory({ [name]: bytes }, (directory) => use(join(directory, name)));
}

const refused = (bytes: Uint8Array, why: RegExp): Promise<void> =>
  onFile(bytes, async (path) => {
    await expect(openGguf(path)).rejects.toMatchObject({
      code: 'checkpoint_invalid',
      message: expect.stringMatching(why) as string,
    });
  });

const simple = { metadata: {}, tensors: [{ name: 'a', type: 'F32', shape: [2, 4] }] };
const edited = (edit: (file: Buffer) => void, content: HeaderContent = simple): Buffer => {
  const file = ggufFile(content);
  edit(file);
  return file;
};

describe('GGUF reader', () => {
  it('reads metadata of every kind, and tensors with rows outermost', () =>
    onFile(sampleFile, async (path) => {
      await using source = await openGguf(path);
      const values = [...source.metadata].map(
        ([key, value]) => [key, value instanceof TextList ? value.toArray() : value] as const,
      );
      expect(Object.fromEntries(values)).toEqual({
        'general.architecture': 'llama',
        'sample.count': 7,
        'sample.negative': -3,
        'sample.ratio': 0.5,
        'sample.flag': true,
        'sample.large': 2n ** 63n,
        'sample.words': ['eins', 'zwei'],
        'sample.nested': [Uint32Array.of(1, 2), Uint32Array.of(3)],
      });
      expect([...source.tensors]).toEqual([
        ['a', { dtype: 'F32', shape: [3, 4] }],
        ['b', { dtype: 'Q4_1', shape: [2, 64] }],
        ['c', { dtype: 'Q8_0', shape: [32] }],
      ]);
    }));

  it('gives the texts of an array one by one, finds them, and refuses those that are not UTF-8', () =>
    onFile(ggufFile({ ...simple, metadata: { words: list(['a', 'b', 'b'].map(text)) } }), async (path) => {
      const file = readFileSync(path);
      const at = file.indexOf('words') + 'words'.length + 4 + 4 + 8 + 8;
      file[at] = 0xff;
      writeFileSync(path, file);
      await using source = await openGguf(path);
      const words = source.metadata.get('words');
      assert(words instanceof TextList);
      expect([words.length, words.at(1), words.at(3), words.at(-1)]).toEqual([3, 'b', undefined, undefined]);
      expect([...words.placesOf(['b', 'a', 'bb'])]).toEqual([['b', 1]]);
      expect(() => words.at(0)).toThrow(/a string of "words" at byte \d+ is not UTF-8/);
      expect(() => words.toArray()).toThrow('not UTF-8');
    }));

  it('reads version 2, another alignment, and a header of more than a megabyte', async () => {
    const words = list(Array.from({ length: 100_000 }, (_, i) => text(`word ${i}`)));
    const bytes = new Uint8Array(Float32Array.of(1, 2, 3).buffer);
    for (const content of [{ version: 2 }, { alignment: 4096 }, { metadata: { words } }]) {
      const tensors = [
        { name: 'a', type: 'F32', shape: [1, 3], bytes },
        { name: 'b', type: 'F32', shape: [3], bytes },
      ];
      await onFile(ggufFile({ metadata: {}, tensors, ...content }), async (path) => {
        await using source = await openGguf(path);
        const out = new Float32Array(2);
        await source.readFloats('b', 1, 2, out);
        expect([...out]).toEqual([2, 3]);
      });
    }
  });

  /** The gguf package has no code for Q8_K, which llama.cpp computes with and no publisher stores. */
  const withVectors = [...blockDecoders.keys()].filter((type) => type !== 'Q8_K');
  it.each(['F16', 'BF16', ...withVectors])('%s decodes as the gguf package decodes it, bit for bit', async (type) => {
    const bytes = readFileSync(join(vectors, `${type}.bin`));
    const whole = readFileSync(join(vectors, `${type}.f32`));
    // Infinity, which is refused, is among the floats' first half-thousand alone.
    const expected = new Float32Array(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length));
    await onFile(
      ggufFile({ metadata: {}, tensors: [{ name: 'a', type, shape: [expected.length], bytes }] }),
      async (path) => {
        await using source = await openGguf(path);
        for (let start = 0; start < expected.length; start += 61) {
          const want = expected.subarray(start, start + 61);
          if (!want.every((value) => Number.isFinite(value))) continue;
          const out = new Float32Array(want.length + 1).fill(42);
          await source.readFloats('a', start, want.length, out);
          expect(new Uint32Array(out.buffer, 0, want.length)).toEqual(new Uint32Array(want.slice().buffer));
          expect(out[want.length]).toBe(42);
        }
      },
    );
  });

  it.each([...repackers])(
    '%s keeps every value when it is repacked, bit for bit',
    (type, { quant, rowBytes, repackGroup }) => {
      const bytes = readFileSync(join(vectors, `${type}.bin`));
      const whole = readFileSync(join(vectors, `${type}.f32`));
      const expected = new Float32Array(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length));
      // Eight rows of one block, then the next eight; the last ones are filled up with those before.
      const columns = quants[quant].blockColumns;
      const width = rowBytes(columns);
      const numBlocks = bytes.length / width;
      for (let first = 0; first < numBlocks; first += 8) {
        const start = Math.max(0, Math.min(first, numBlocks - 8));
        const rows = new Uint8Array(8 * width);
        rows.set(bytes.subarray(start * width, (start + 8) * width));
        const packed = new Uint8Array(quants[quant].groupBytes(columns));
        repackGroup(rows, columns, packed);
        const values = unpackMatrix(quant, packed, Math.min(8, numBlocks), columns);
        values.forEach((value, i) => {
          const want = expected[start * columns + i];
          // Only the sign of zero may differ: −0 is no value of its own.
          if (value !== want) expect.fail(`${type} ${start * columns + i}: ${value} instead of ${want}`);
        });
      }
      expect(numBlocks * columns).toBe(expected.length);
    },
  );

  it('Q8_K decodes as its definition says: an f32 scale times 256 integers of eight bits', async () => {
    const bytes = Buffer.alloc(292);
    bytes.writeFloatLE(0.1, 0);
    for (let i = 0; i < 256; i++) bytes.writeInt8(i - 128, 4 + i);
    await onFile(
      ggufFile({ metadata: {}, tensors: [{ name: 'a', type: 'Q8_K', shape: [256], bytes }] }),
      async (path) => {
        await using source = await openGguf(path);
        const out = new Float32Array(256);
        await source.readFloats('a', 0, 256, out);
        expect(out).toEqual(Float32Array.from({ length: 256 }, (_, i) => Math.fround(0.1) * (i - 128)));
      },
    );
  });

  it('refuses a scale that is not finite when it repacks', () => {
    const bytes = new Uint8Array(8 * 18);
    bytes.set([0x00, 0x7c], 18 * 5);
    expect(() => repackers.get('Q4_0')?.repackGroup(bytes, 32, new Uint8Array(144))).toThrowError(
      expect.objectContaining({ code: 'weight_not_finite' }),
    );
  });

  it('names the type that it cannot read, and those that it can', () =>
    onFile(ggufFile({ metadata: {}, tensors: [{ name: 'a', type: 'Q8_1', shape: [256] }] }), async (path) => {
      await using source = await openGguf(path);
      await expect(source.readFloats('a', 0, 1, new Float32Array(1))).rejects.toMatchObject({
        code: 'unsupported_dtype',
        message: expect.stringMatching(/Q8_1.*Q6_K.*Q4_0.*Q4_K.*Q3_K/) as string,
      });
      await expect(source.readFloats('b', 0, 1, new Float32Array(1))).rejects.toMatchObject({
        code: 'tensor_not_found',
      });
    }));

  it('is on the shelf of formats, which open a file or say that it is none of theirs', () =>
    onFile(sampleFile, async (path) => {
      await using source = await formats.gguf.open(path);
      expect(source?.tensors.size).toBe(3);
      expect(await formats.gguf.open(join(path, '..'))).toBe(null);
      await expect(openGguf(join(path, '../none.gguf'))).rejects.toMatchObject({ code: 'checkpoint_not_found' });
    }));
});

describe('a GGUF file is refused', () => {
  const at = 24; // of the first tensor's info in a file without metadata
  it.each([
    ['that is none', edited((f) => f.write('GGML')), /does not begin with GGUF/],
    ['of version 1', edited((f) => f.writeUInt32LE(1, 4)), /version 1/],
    ['that is big-endian', edited((f) => f.writeUInt32BE(3, 4)), /big-endian/],
    ['with more tensors than the limit', edited((f) => f.writeBigUInt64LE(2n ** 40n, 8)), /number of tensors/],
    ['with more keys than the limit', edited((f) => f.writeBigUInt64LE(100_001n, 16)), /metadata entries/],
    ['with a name longer than the file', edited((f) => f.writeBigUInt64LE(2n ** 63n, at)), /length of a tensor's name/],
    ['with a tensor of five dimensions', edited((f) => f.writeUInt32LE(5, at + 9)), /5 dimensions/],
    ['with an empty dimension', edited((f) => f.writeBigUInt64LE(0n, at + 13)), /impossible shape/],
    ['with a shape beyond the file', edited((f) => f.writeBigUInt64LE(2n ** 31n, at + 13)), /truncated/],
    ['with an unknown type', edited((f) => f.writeUInt32LE(99, at + 29)), /GGML type 99/],
    ['with an offset that is not aligned', edited((f) => f.writeBigUInt64LE(4n, at + 33)), /multiple of 32/],
    ['with an offset beyond the file', edited((f) => f.writeBigUInt64LE(2n ** 40n, at + 33)), /truncated/],
    ['cut short', ggufFile(simple).subarray(0, -8), /truncated/],
    [
      'with a key twice',
      edited((f) => f.write('b', 24 + 8), { metadata: { a: u32(1), b: u32(2) }, tensors: [] }),
      /key "b" twice/,
    ],
    [
      'with a tensor twice',
      ggufFile({ metadata: {}, tensors: [...simple.tensors, ...simple.tensors] }),
      /is there twice/,
    ],
    ['with an odd alignment', ggufFile({ metadata: { 'general.alignment': u32(24) }, tensors: [] }), /alignment is 24/],
    [
      'with rows that end within a block',
      ggufFile({ metadata: {}, tensors: [{ name: 'a', type: 'Q4_0', shape: [4, 40] }] }),
      /rows of 40/,
    ],
    [
      'with an array longer than the file',
      edited((f) => f.writeBigUInt64LE(900_000n, 24 + 9 + 4 + 4), { metadata: { a: list([u32(1)]) }, tensors: [] }),
      /the array of "a"/,
    ],
    [
      'with arrays in arrays in arrays',
      ggufFile({ metadata: { a: list([list([list([list([list([u32(1)])])])])]) }, tensors: [] }),
      /nests arrays/,
    ],
    [
      'with text that is not UTF-8',
      edited((f) => f.writeUInt8(0xff, 24 + 9 + 4 + 8), { metadata: { a: text('x') }, tensors: [] }),
      /not UTF-8/,
    ],
  ] as [string, Buffer, RegExp][])('%s', (_, bytes, why) => refused(bytes, why));

  it('cut at any byte', async () => {
    for (let size = 0; size < sampleFile.length; size++) {
      // Padding behind the last tensor's bytes may be missing.
      if (size >= sampleFile.length - 30) continue;
      await refused(sampleFile.subarray(0, size), /not a valid GGUF|ended at byte/);
    }
  });
});

describe('GGUF under mutation', () => {
  it('reads or refuses 20,000 mutated files, each at once and in little memory', () => {
    const { accepted, slowestMs, mostBytes } = mutateGgufs(20_000);
    expect(accepted).toBeGreaterThan(0);
    expect(slowestMs).toBeLessThan(1000);
    expect(mostBytes).toBeLessThan(2 ** 20);
  });

  it('decodes and repacks blocks of any bytes', () => mutateBlocks(1000));
});

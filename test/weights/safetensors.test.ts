import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSafetensors } from '../../src/weights/index.js';
import { floats, inDirectory, safetensorsFile, withHeader } from './safetensors-file.js';

const one = 'model.safetensors';
const index = 'model.safetensors.index.json';
const code = (name: string): unknown => expect.objectContaining({ code: name });
const entry = (dtype: string, shape: unknown, offsets: unknown): string =>
  JSON.stringify({ dtype, shape, data_offsets: offsets });

async function open(directory: string): Promise<string[]> {
  await using source = await openSafetensors(directory);
  return [...source.tensors.keys()];
}

describe('safetensors reader', () => {
  it('reads ranges of F32, F16, BF16 and F64 as floats', async () => {
    const values = [0, -0, 1, -2.5, 65_504, 2 ** -24, 3, 0.5];
    const f16 = Uint16Array.of(0, 0x8000, 0x3c00, 0xc100, 0x7bff, 1, 0x4200, 0x3800);
    const bf16 = new Uint16Array(values.length);
    new Uint32Array(Float32Array.from(values).buffer).forEach((bits, i) => (bf16[i] = bits >>> 16));
    const file = safetensorsFile({
      a: { dtype: 'F32', shape: [2, 4], bytes: new Uint8Array(Float32Array.from(values).buffer) },
      odd: { dtype: 'U8', shape: [1], bytes: Uint8Array.of(7) },
      b: { dtype: 'F16', shape: [8], bytes: new Uint8Array(f16.buffer) },
      c: { dtype: 'BF16', shape: [2, 2, 2], bytes: new Uint8Array(bf16.buffer) },
      d: { dtype: 'F64', shape: [8], bytes: new Uint8Array(Float64Array.from(values).buffer) },
    });
    await inDirectory({ [one]: file }, async (directory) => {
      await using source = await openSafetensors(directory);
      expect(source.tensors.get('a')).toMatchObject({ dtype: 'F32', shape: [2, 4] });
      for (const name of ['a', 'b', 'd']) {
        for (let start = 0; start <= 8; start++) {
          const out = new Float32Array(9).fill(42);
          await source.readFloats(name, start, 8 - start, out);
          expect([...out.subarray(0, 8 - start)], name).toEqual(values.slice(start));
          expect([...out.subarray(8 - start)]).toEqual(Array.from({ length: start + 1 }, () => 42));
        }
      }
      const out = new Float32Array(4);
      await source.readFloats('c', 2, 2, out);
      expect([...out]).toEqual([1, -2.5, 0, 0]);
      await expect(source.readFloats('odd', 0, 1, out)).rejects.toThrowError(code('unsupported_dtype'));
      await expect(source.readFloats('none', 0, 1, out)).rejects.toThrowError(code('tensor_not_found'));
    });
  });

  it.each([NaN, Infinity, -Infinity])('refuses %d and names tensor and element', async (bad) => {
    await inDirectory({ [one]: safetensorsFile({ w: floats(1, 2, bad, 4) }) }, async (directory) => {
      await using source = await openSafetensors(directory);
      const out = new Float32Array(4);
      await source.readFloats('w', 0, 2, out);
      await expect(source.readFloats('w', 1, 3, out)).rejects.toMatchObject({
        code: 'weight_not_finite',
        details: { tensor: 'w', element: 2 },
      });
    });
  });

  it('says so when the file shrinks while it is open', async () => {
    await inDirectory({ [one]: safetensorsFile({ w: floats(1, 2, 3, 4) }) }, async (directory) => {
      await using source = await openSafetensors(directory);
      truncateSync(join(directory, one), 20);
      await expect(source.readFloats('w', 0, 4, new Float32Array(4))).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });

  it('says checkpoint_not_found without a directory, a checkpoint or a shard', async () => {
    await inDirectory({}, async (directory) => {
      await expect(open(join(directory, 'none'))).rejects.toThrowError(code('checkpoint_not_found'));
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_not_found'));
      writeFileSync(join(directory, index), JSON.stringify({ weight_map: { a: 'gone.safetensors' } }));
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_not_found'));
    });
  });
});

describe('safetensors header', () => {
  const eight = new Uint8Array(8);
  const good = entry('F32', [2], [0, 8]);
  it.each([
    ['a header that is no object', '[]', eight],
    ['leading space', ` {"a":${good}}`, eight],
    ['cut JSON', `{"a":${good}`, eight],
    ['text behind', `{"a":${good}}x`, eight],
    ['a repeated tensor', `{"a":${good},"a":${good}}`, eight],
    ['a repeated tensor in another spelling', `{"a":${good},"\\u0061":${good}}`, eight],
    ['a repeated property', '{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', eight],
    ['an unknown property', '{"a":{"dtype":"F32","x":1,"shape":[2],"data_offsets":[0,8]}}', eight],
    ['an unknown type', `{"a":${entry('F99', [2], [0, 8])}}`, eight],
    ['no shape', '{"a":{"dtype":"F32","data_offsets":[0,8]}}', eight],
    ['a hole', `{"a":${entry('F32', [1], [4, 8])}}`, eight],
    ['an overlap', `{"a":${good},"b":${entry('F32', [1], [4, 8])}}`, eight],
    ['bytes left over', `{"a":${entry('F32', [1], [0, 4])}}`, eight],
    ['too few bytes', `{"a":${entry('F32', [4], [0, 16])}}`, eight],
    ['a size that is not the shape', `{"a":${entry('F32', [3], [0, 8])}}`, eight],
    ['end before begin', `{"a":${entry('F32', [2], [8, 0])}}`, eight],
    ['a rank of 9', `{"a":${entry('F32', [2, 1, 1, 1, 1, 1, 1, 1, 1], [0, 8])}}`, eight],
    ['half a byte', `{"a":${entry('F4', [3], [0, 2])}}`, eight.subarray(0, 2)],
    ['deep nesting', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, eight],
    ['metadata that is not text', `{"__metadata__":{"a":1},"a":${good}}`, eight],
    ['broken UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), eight],
    ['a product that overflows', `{"a":${entry('F32', [2 ** 30, 2 ** 30, 4], [0, 8])}}`, eight],
    ['an overflow hidden by zero', `{"a":${entry('U8', [2 ** 52, 2 ** 52, 0], [0, 0])},"b":${good}}`, eight],
    ...[-1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64 - 1, Infinity, 0.5, '1', null].flatMap(
      (n) =>
        [
          [`dimension ${n}`, `{"a":${entry('F32', [n], [0, 8])}}`, eight],
          [`begin ${n}`, `{"a":${entry('F32', [2], [n, 8])}}`, eight],
          [`end ${n}`, `{"a":${entry('F32', [2], [0, n])}}`, eight],
        ] as [string, string, Uint8Array][],
    ),
    ['a dimension of 1e400', '{"a":{"dtype":"F32","shape":[1e400],"data_offsets":[0,8]}}', eight],
  ] as [string, string | Uint8Array, Uint8Array][])('refuses %s', async (_, header, data) => {
    await inDirectory({ [one]: withHeader(header, data) }, async (directory) => {
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });

  it.each([0n, 1n, 2n ** 31n, 2n ** 32n, 100_000_001n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])(
    'refuses a header length of %d',
    async (length) => {
      const file = withHeader(`{"a":${good}}`, eight);
      new DataView(file.buffer).setBigUint64(0, length, true);
      await inDirectory({ [one]: file }, async (directory) => {
        await expect(open(directory)).rejects.toThrowError(code('checkpoint_invalid'));
      });
    },
  );

  it.each([0, 1, 7])('refuses a file of %d bytes', async (size) => {
    await inDirectory({ [one]: new Uint8Array(size) }, async (directory) => {
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });

  it('takes no tensors, empty tensors, scalars, padding and names of every kind', async () => {
    const header = `{"":${entry('F32', [0, 5], [0, 0])},"__proto__":${entry('F32', [], [0, 4])},"é:{}\\"":${entry('F32', [1], [4, 8])}}    `;
    await inDirectory({ [one]: withHeader(header, eight) }, async (directory) => {
      expect(await open(directory)).toEqual(['', '__proto__', 'é:{}"']);
    });
    await inDirectory({ [one]: withHeader('{}') }, async (directory) => expect(await open(directory)).toEqual([]));
  });
});

describe('safetensors shards', () => {
  const shard = safetensorsFile({ a: floats(1) });
  const map = (weights: unknown): string => JSON.stringify({ metadata: { total_size: 8 }, weight_map: weights });

  it('reads tensors from each file', async () => {
    const files = { [index]: map({ a: 's1', b: 's2' }), s1: shard, s2: safetensorsFile({ b: floats(7) }) };
    await inDirectory(files, async (directory) => {
      await using source = await openSafetensors(directory);
      const out = new Float32Array(1);
      await source.readFloats('b', 0, 1, out);
      expect(out[0]).toBe(7);
    });
  });

  it.each([
    ['a path', { a: '../s1' }],
    ['an absolute path', { a: '/etc/passwd' }],
    ['a backslash', { a: '..\\s1' }],
    ['the directory itself', { a: '.' }],
    ['its parent', { a: '..' }],
    ['an empty name', { a: '' }],
    ['a NUL', { a: 's1\0' }],
    ['a number', { a: 1 }],
    ['a tensor that is not there', { a: 's1', b: 's1' }],
    ['a file with more than it lists', { a: 's3' }],
    ['a tensor in two files', { a: 's1', x: 's3' }],
    ['nothing', {}],
    ['a list', []],
  ])('refuses an index that names %s', async (_, weights) => {
    const files = { [index]: map(weights), s1: shard, s3: safetensorsFile({ a: floats(1), x: floats(2) }) };
    await inDirectory(files, async (directory) => {
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });

  it('follows links inside the directory or into the cache of the hub, and no others', async () => {
    await inDirectory({ elsewhere: shard }, async (root) => {
      const snapshot = join(root, 'snapshots', 'abc');
      mkdirSync(snapshot, { recursive: true });
      mkdirSync(join(root, 'blobs'));
      writeFileSync(join(root, 'blobs', 'etag'), shard);
      symlinkSync('../../blobs/etag', join(snapshot, one));
      expect(await open(snapshot)).toEqual(['a']);
      const other = join(root, 'plain');
      mkdirSync(other);
      symlinkSync('../elsewhere', join(other, one));
      await expect(open(other)).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });

  it('refuses a directory in place of a file', async () => {
    await inDirectory({}, async (directory) => {
      mkdirSync(join(directory, one));
      await expect(open(directory)).rejects.toThrowError(code('checkpoint_invalid'));
    });
  });
});

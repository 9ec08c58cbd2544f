// Bodies in zstd on a Node without zstd of its own. The frames are of the zstd command 1.5, and made by hand.
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createBodyDecoder } from '../../src/http/bodies/decode-body.js';
import { boundZstd } from '../../src/http/bodies/zstd-frames.js';

const TEXT = JSON.stringify({
  model: 'demo',
  input: 'What is 12 + 30?',
  metadata: { pad: 'abcdefghij '.repeat(60) },
});
const frames = {
  'with its size':
    'KLUv/WDVAW0CAMLEEBeAaxtLoQQJGWsjtl8UWJ6+wOEFmSNxQO8dF5WUhBc59PnVdpfX1tXmdfQiIBDAQUBHYWsynu+nNerobPE+z/CydRcBAIkhVyUK',
  'as a stream':
    'KLUv/QRYbQIAwsQQF4BrG0uhBAkZayO2XxRYnr7A4QWZI3FA7x0XlZSEFzn0+dV2l9fW1eZ19CIgEMBBQEdhazKe76c16uhs8T7P8LJ1FwEAiSFXJQr563pr',
  'of level 19 with a checksum':
    'KLUv/WTVAVUCAMIEEBGQfRIYxA42ib5zTkCoR3eXEL0/mDLC5xpb6s83hZ+fV1o1pV198WgYEEAhIEugVUx/Xm9s5Yu/1bU/T1279XkBAIkhVyUK+et6aw==',
};
const MiB = 1024 * 1024;
const decoder = createBodyDecoder({ zstd: 'wasm' });
afterAll(async () => decoder[Symbol.asyncDispose]());

const decode = async (body: Uint8Array, maxBytes = 32 * MiB): Promise<string> => {
  const decoded = await decoder.decode(body, 'zstd', maxBytes);
  return 'code' in decoded ? decoded.code : Buffer.from(decoded).toString();
};
const read = (name: keyof typeof frames): Buffer => Buffer.from(frames[name], 'base64');
/** A frame without a declared size, of a window of 8 MiB: `blocks` are type, size and bytes. */
const frameOf = (...blocks: readonly [type: number, size: number, bytes: readonly number[]][]): Buffer =>
  Buffer.from([
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    13 << 3,
    ...blocks.flatMap(([type, size, bytes], index) => {
      const header = (size << 3) | (type << 1) | (index === blocks.length - 1 ? 1 : 0);
      return [header & 255, (header >> 8) & 255, header >> 16, ...bytes];
    }),
  ]);
const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

describe('a body in zstd, without zstd of Node', () => {
  it.each(Object.keys(frames) as (keyof typeof frames)[])('is read: a frame %s', async (name) => {
    expect(await decode(read(name))).toBe(TEXT);
  });

  it('is all of its frames, those to be skipped left out', async () => {
    const body = Buffer.concat([skippable, read('as a stream'), skippable, read('with its size')]);
    expect(await decode(body)).toBe(TEXT + TEXT);
    expect(await decode(skippable)).toBe('');
  });

  it('is what Node makes of it', async () => {
    const native = createBodyDecoder();
    for (const name of Object.keys(frames) as (keyof typeof frames)[]) {
      const decoded = await native.decode(read(name), 'zstd', MiB);
      expect('code' in decoded ? decoded.code : Buffer.from(decoded).toString()).toBe(TEXT);
    }
    const compress: unknown = Reflect.get(zlib, 'zstdCompressSync');
    if (typeof compress !== 'function') return;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4_096 }), async (bytes) => {
        const body = (compress as (bytes: Uint8Array) => Buffer)(bytes);
        expect(Buffer.from((await decoder.decode(body, 'zstd', MiB)) as Uint8Array)).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 50 },
    );
  });

  it('is refused as too large before it takes the memory, at the very byte', async () => {
    expect(await decode(read('with its size'), TEXT.length)).toBe(TEXT);
    expect(await decode(read('with its size'), TEXT.length - 1)).toBe('request_too_large');
    expect(await decode(read('as a stream'), TEXT.length)).toBe(TEXT);
    expect(await decode(read('as a stream'), TEXT.length - 1)).toBe('request_too_large');
    // 1 KiB that becomes 32 MiB.
    const bomb = frameOf(...Array.from({ length: 256 }, () => [1, 128 * 1024, [0x20]] as [number, number, number[]]));
    expect(await decode(bomb, 32 * MiB - 1)).toBe('request_too_large');
    expect((await decode(bomb)).length).toBe(32 * MiB);
  });

  it('is refused where it is no zstd, is cut off or is damaged', async () => {
    const whole = read('of level 19 with a checksum');
    for (const bytes of [Buffer.from('{}'), whole.subarray(0, -1), whole.subarray(0, 7), Buffer.from([0x28])]) {
      expect(await decode(bytes)).toBe('body_encoding_invalid');
    }
    for (let at = 4; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      expect(['body_encoding_invalid', 'request_too_large']).toContain(await decode(damaged));
    }
  });

  it('never becomes more than the walk over its headers says, whatever the bytes', async () => {
    const whole = read('as a stream');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 64 }), async (tail) => {
        const body = Buffer.concat([whole, tail]);
        const bound = boundZstd(body, MiB)?.bytes ?? 0;
        const decoded = await decoder.decode(body, 'zstd', MiB);
        if (!('code' in decoded)) expect(decoded.length).toBeLessThanOrEqual(bound);
      }),
    );
  });
});

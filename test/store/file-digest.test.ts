// What tells the bytes of files from others in a cache.
import { createHmac, randomBytes, webcrypto } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContentMac } from '../../src/store/content-mac.js';
import { digestOf, knownDigest, identityOf } from '../../src/store/index.js';

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'digests-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** The same by another interface, at once: the tag of AES-GCM over bytes that are not encrypted, under HMAC-SHA256. */
async function atOnce(key: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const aes = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const algorithm = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: bytes };
  const tag = await webcrypto.subtle.encrypt(algorithm, aes, new Uint8Array());
  return createHmac('sha256', key).update(Buffer.from(tag)).digest('hex');
}

describe('a code of bytes', () => {
  const random = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(length));

  it('is that of AES-GCM and HMAC, whatever pieces the bytes come in', async () => {
    const [key, bytes] = [random(32), random(100_003)];
    const expected = await atOnce(key, bytes);
    for (const size of [1, 15, 16, 17, 4_096, 100_003]) {
      const mac = createContentMac(key);
      for (let at = 0; at < bytes.length; at += size) mac.add(bytes.subarray(at, at + size));
      expect(mac.digest()).toBe(expected);
    }
    expect(createContentMac(key).digest()).toBe(await atOnce(key, random(0)));
  });

  it('is another for each bit, for a zero more, and under another key', () => {
    const [key, bytes] = [random(32), random(64)];
    const codeOf = (of: Uint8Array, under = key): string => {
      const mac = createContentMac(under);
      mac.add(of);
      return mac.digest();
    };
    const codes = new Set([codeOf(bytes), codeOf(Buffer.concat([bytes, Buffer.alloc(1)])), codeOf(bytes, random(32))]);
    for (let bit = 0; bit < 512; bit++) {
      codes.add(codeOf(bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))));
    }
    expect(codes.size).toBe(515);
  });
});

describe('a digest of a file', () => {
  it('is that of its bytes, remembered for the file as it is, and another in each cache', async () => {
    const [file, copy, cache] = [join(directory, 'a'), join(directory, 'b'), join(directory, 'cache')];
    writeFileSync(file, randomBytes(9_000_000));
    copyFileSync(file, copy);
    const digest = await digestOf([file], cache);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf([copy], cache)).toBe(digest);
    expect(await knownDigest(await identityOf([file]), cache)).toBe(digest);
    expect(await digestOf([file], join(directory, 'other'))).not.toBe(digest);
    const bytes = readFileSync(file);
    bytes[8_999_999] = (bytes[8_999_999] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    utimesSync(file, new Date(0), new Date(0));
    expect(await knownDigest(await identityOf([file]), cache)).toBeUndefined();
    expect(await digestOf([file], cache)).not.toBe(digest);
  });

  it('is that of the parts of a file behind each other', async () => {
    const [a, b, whole, cache] = ['a', 'b', 'whole', 'cache'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
      string,
    ];
    const bytes = randomBytes(5_000_011);
    for (const [path, from, to] of [
      [a, 0, 4_194_305],
      [b, 4_194_305, bytes.length],
      [whole, 0, bytes.length],
    ] as const)
      writeFileSync(path, bytes.subarray(from, to));
    expect(await digestOf([a, b], cache)).toBe(await digestOf([whole], cache));
    expect(await digestOf([b, a], cache)).not.toBe(await digestOf([whole], cache));
  });

  it('is under a key that only its owner may read, and that is made again where it is none', async () => {
    const [file, cache] = [join(directory, 'a'), join(directory, 'cache')];
    writeFileSync(file, 'abc');
    const [digest] = await Promise.all([digestOf([file], cache), digestOf([file], cache)]);
    const key = join(cache, 'digests', 'key');
    expect([statSync(key).mode & 0o777, statSync(key).size]).toEqual([0o600, 32]);
    expect(readdirSync(join(cache, 'digests')).length).toBe(2);
    writeFileSync(key, 'too short');
    expect(await digestOf([file], cache)).toMatch(/^[0-9a-f]{64}$/);
    copyFileSync(file, join(directory, 'b'));
    expect(await digestOf([join(directory, 'b')], cache)).not.toBe(digest);
    expect(statSync(key).size).toBe(32);
  });

  it('of a file that is not there is refused by its name, and ends at its signal', async () => {
    const cache = join(directory, 'cache');
    const none = join(directory, 'none');
    await expect(digestOf([none], cache)).rejects.toMatchObject({ code: 'path_invalid', details: { path: none } });
    writeFileSync(join(directory, 'a'), randomBytes(100));
    const reason = new Error('enough');
    await expect(digestOf([join(directory, 'a')], cache, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

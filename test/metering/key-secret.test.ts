import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeySecret, parseKeySecret } from '../../src/metering/index.js';
import { createKeyId } from '../../src/metering/keys/key-id.js';
import { isSameHash } from '../../src/metering/keys/key-secret.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('a secret of a key', () => {
  it('has its kind, a beginning that may be shown, 43 characters and a checksum, and is known by its hash', () => {
    const made = createKeySecret('gwk');
    expect(made.secret).toMatch(/^gwk_[0-9A-Za-z]{6}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(made.secret.startsWith(`${made.prefix}_`)).toBe(true);
    expect(made.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(parseKeySecret(made.secret)).toEqual({ kind: 'gwk', prefix: made.prefix, hash: made.hash });
    expect(parseKeySecret(createKeySecret('gwa').secret)?.kind).toBe('gwa');
  });

  it('is the same for the same random bytes, and every character is as likely', () => {
    let at = 0;
    const everyByte = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => at++ % 256);
    // Bytes 248 to 255 are drawn again: from 0 on, 62 bytes give each character once.
    const { secret } = createKeySecret('gwk', everyByte);
    expect(secret.slice(4, 10) + secret.slice(11, 54)).toBe(BASE62.slice(0, 49));
    at = 244;
    expect(createKeySecret('gwk', everyByte).prefix).toBe('gwk_wxyz01'.replace('wxyz', BASE62.slice(58)));
  });

  it('with any one character changed, left out, doubled or swapped with its neighbour is refused', () => {
    const { secret } = createKeySecret('gwk');
    for (let i = 0; i < secret.length; i++) {
      const [before, after] = [secret.slice(0, i), secret.slice(i + 1)];
      const other = secret[i] === 'x' ? 'y' : 'x';
      const broken = [`${before}${other}${after}`, before + after, `${before}${secret[i]}${secret[i]}${after}`];
      if (secret[i] !== after[0] && after !== '') broken.push(`${before}${after[0]}${secret[i]}${after.slice(1)}`);
      for (const text of broken) expect([text, parseKeySecret(text)]).toEqual([text, undefined]);
    }
  });

  it('is none of 100,000 random texts of its form, nor any other text', () => {
    let accepted = 0;
    const random = (length: number): string =>
      Array.from({ length }, () => BASE62[Math.floor(Math.random() * 62)]).join('');
    for (let i = 0; i < 100_000; i++) {
      if (parseKeySecret(`gwk_${random(6)}_${random(43)}_${random(6)}`) !== undefined) accepted++;
    }
    // By chance one in 2^32 has the right checksum.
    expect(accepted).toBe(0);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 200 })), (text) => {
        expect(parseKeySecret(text)).toBeUndefined();
      }),
    );
    expect(parseKeySecret(`gwk_${'a'.repeat(10_000_000)}`)).toBeUndefined();
  });

  it('is compared by its hash in constant time', () => {
    const { hash } = createKeySecret('gwk');
    expect([isSameHash(hash, hash), isSameHash(hash, hash.replace(/./, 'g')), isSameHash(hash, '')]).toEqual([
      true,
      false,
      false,
    ]);
    const source = readFileSync(join(process.cwd(), 'src/metering/keys/key-secret.ts'), 'utf8');
    expect(source).toContain('timingSafeEqual(left, right)');
    // No code compares hashes or secrets with `===`.
    const list = readFileSync(join(process.cwd(), 'src/metering/keys/key-list.ts'), 'utf8');
    expect(list).not.toMatch(/hash === (?!undefined)|=== hash|secret === (?!'')/);
  });

  it('has ids beside it that sort by their time', () => {
    const ids = [1, 2, 1_000_000, 1_795_694_400_000].map((ms) => createKeyId(ms));
    for (const id of ids) expect(id).toMatch(/^vk_[0-9A-Z]{26}$/);
    expect(ids.toSorted()).toEqual(ids);
  });
});

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Point, verifyAsync } from '@noble/ed25519';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parsePublicKey,
  signMessage,
  toDer,
  toPublicKey,
  verifySignature,
  whyNoKey,
} from '../../src/signing/ed25519.js';

interface Group {
  readonly publicKey: string;
  readonly tests: readonly { readonly tcId: number; comment: string; msg: string; sig: string; result: string }[];
}
const groups: Group[] = JSON.parse(readFileSync(join(process.cwd(), 'test/vectors/wycheproof/ed25519.json'), 'utf8'));
const cases: { message: string; pub_key: string; signature: string }[] = JSON.parse(
  readFileSync(join(process.cwd(), 'test/vectors/ed25519-speccheck/cases.json'), 'utf8'),
);
const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const messages = fc.uint8Array({ maxLength: 200 });

/** The order of the group. Source: RFC 8032, section 5.1. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const toNumber = (le: Uint8Array): bigint => BigInt(`0x${Buffer.from(le.toReversed()).toString('hex')}`);
const toLittleEndian = (number: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex')).toReversed();

/** The eight points of small order, as they are written canonically. */
const smallOrder = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];
/** Other ways to write points: y of p or more, and the sign of an x that is 0. */
const nonCanonical = [
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(31)}`,
  `ed${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(31)}`,
  `ee${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(31)}`,
  `f0${'ff'.repeat(30)}7f`,
  'ff'.repeat(32),
];

describe('Ed25519', () => {
  it('judges every signature of Wycheproof as Wycheproof does', async () => {
    let numInvalid = 0;
    for (const { publicKey, tests } of groups) {
      for (const { tcId, comment, msg, sig, result } of tests) {
        const isValid = await verifySignature(bytes(publicKey), bytes(msg), bytes(sig));
        expect({ tcId, comment, isValid }).toEqual({ tcId, comment, isValid: result === 'valid' });
        if (!isValid) numInvalid++;
      }
    }
    expect([groups.flatMap(({ tests }) => tests).length, numInvalid]).toEqual([151, 63]);
  });

  it('makes the signatures and keys that OpenSSL makes, and each takes the other one’s', () =>
    fc.assert(
      fc.asyncProperty(seeds, messages, async (seed, message) => {
        const der = Buffer.concat([bytes('302e020100300506032b657004220420'), seed]);
        const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
        const publicKey = createPublicKey(privateKey);
        const key = await toPublicKey(seed);
        expect(toDer(key)).toEqual(publicKey.export({ format: 'der', type: 'spki' }));
        const ours = await signMessage(seed, message);
        expect(Buffer.from(ours)).toEqual(sign(null, message, privateKey));
        expect(verify(null, message, publicKey, ours)).toBe(true);
        expect(await verifySignature(key, message, ours)).toBe(true);
      }),
      { numRuns: 100 },
    ));

  it('takes no signature with a flipped bit, of another message or another key, or of another length', () =>
    fc.assert(
      fc.asyncProperty(seeds, messages, fc.nat(511), async (seed, message, bit) => {
        const key = await toPublicKey(seed);
        const signature = await signMessage(seed, message);
        const flipped = Uint8Array.from(signature, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const otherKey = await toPublicKey(seed.map((byte) => byte ^ 1));
        expect(await verifySignature(key, message, flipped)).toBe(false);
        expect(await verifySignature(key, Buffer.concat([message, bytes('00')]), signature)).toBe(false);
        expect(await verifySignature(otherKey, message, signature)).toBe(false);
        for (const wrong of [signature.subarray(0, bit & 63), Buffer.concat([signature, signature.subarray(0, 1)])]) {
          expect(await verifySignature(key, message, wrong)).toBe(false);
        }
        expect(await verifySignature(key.subarray(0, bit & 31), message, signature)).toBe(false);
      }),
      { numRuns: 60 },
    ));

  it.each([...smallOrder, ...nonCanonical])('refuses %s as a key and as the point of a signature', async (hex) => {
    expect(await whyNoKey(bytes(hex))).toMatch(/^which is (a point of small order|no point of the curve)/);
    await expect(parsePublicKey(hex, '--key')).rejects.toMatchObject({ code: 'invalid_option' });
    // With S = 0 the equation of any message holds for a key and a point R of order 1 or 2, half of the time.
    for (const s of ['00'.repeat(32), `01${'00'.repeat(31)}`]) {
      for (const message of ['', 'a', 'b', 'c'].map((text) => Buffer.from(text))) {
        expect(await verifySignature(bytes(hex), message, bytes(`${hex}${s}`))).toBe(false);
        expect(await verifySignature(await toPublicKey(bytes('11'.repeat(32))), message, bytes(`${hex}${s}`))).toBe(
          false,
        );
      }
    }
  });

  it('refuses a key of small order, which some versions of OpenSSL take', async () => {
    const key = bytes(smallOrder[0] ?? '');
    const signature = bytes(`${smallOrder[0]}${'00'.repeat(32)}`);
    expect(await verifySignature(key, Buffer.from('anything'), signature)).toBe(false);
  });

  it('refuses a key with a part of small order, whose signatures noble takes and OpenSSL does not', async () => {
    const seed = bytes('22'.repeat(32));
    const mixed = Point.fromBytes(await toPublicKey(seed))
      .add(Point.fromHex(smallOrder[1] ?? ''))
      .toBytes();
    expect(await whyNoKey(mixed)).toBe('which is not in the group of Ed25519');
    await expect(parsePublicKey(Buffer.from(mixed).toString('hex'), '--key')).rejects.toThrow(/group of Ed25519/);
  });

  it('takes one of the two numbers S that make the equation hold', async () => {
    const seed = bytes('33'.repeat(32));
    const [key, message] = [await toPublicKey(seed), Buffer.from('text')];
    const signature = await signMessage(seed, message);
    const larger = Buffer.concat([signature.subarray(0, 32), toLittleEndian(toNumber(signature.subarray(32)) + L)]);
    expect([await verifySignature(key, message, signature), await verifySignature(key, message, larger)]).toEqual([
      true,
      false,
    ]);
  });

  it('refuses all twelve signatures of which implementations differ, of which each of its two takes some', async () => {
    const taken = { noble: 0, openssl: 0 };
    for (const { message, pub_key: key, signature } of cases) {
      const [m, k, s] = [bytes(message), bytes(key), bytes(signature)];
      expect(await verifySignature(k, m, s)).toBe(false);
      if (await verifyAsync(s, m, k, { zip215: false })) taken.noble++;
      if (verify(null, m, createPublicKey({ key: toDer(k), format: 'der', type: 'spki' }), s)) taken.openssl++;
    }
    expect(cases.length).toBe(12);
    expect(taken.noble).toBe(4);
    // Five by OpenSSL 3.0, fewer by later versions.
    expect(taken.openssl).toBeGreaterThan(0);
  });

  it('agrees with OpenSSL on keys that OpenSSL makes', async () => {
    for (let i = 0; i < 20; i++) {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
      const message = Buffer.from(`message ${i}`);
      expect(await whyNoKey(key)).toBeUndefined();
      expect(await verifySignature(key, message, sign(null, message, privateKey))).toBe(true);
    }
  });
});

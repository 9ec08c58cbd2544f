import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toPublicKey } from '../../src/signing/ed25519.js';
import { generateKeyFiles, parseTrustedKeys, readPrivateKey, splitKeys } from '../../src/signing/index.js';
import { inFreshDirectory } from '../artifact/small-artifact.js';
import { createSigner } from './signed-artifact.js';

const [one, two] = [createSigner().key, createSigner().key];

describe('trusted keys', () => {
  it('are one for each point, whatever the case of their digits', async () => {
    expect(await parseTrustedKeys([one, one.toUpperCase(), two], '--trusted-key')).toEqual([one, two]);
    expect(splitKeys(` ${one},${two}\n${one} , ${two} `)).toEqual([one, two, one, two]);
    expect(splitKeys(' ')).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['a digit too few', one.slice(1)],
    ['a digit too many', `${one}0`],
    ['a prefix', `0x${one.slice(2)}`],
    ['another letter', `${one.slice(0, 63)}g`],
    ['a digit of another script', `${one.slice(0, 63)}\u0661`],
    ['a blank', `${one} `],
    ['a newline', `${one}\n`],
    ['base64', Buffer.from(one, 'hex').toString('base64')],
    ['a path', 'me.pub'],
    ['the PEM form', '-----BEGIN PUBLIC KEY-----'],
    ['what is no point', '02'.padEnd(64, '0')],
    ['a point of small order', '01'.padEnd(64, '0')],
    ['a non-canonical point', 'ee'.padEnd(62, 'f') + '7f'],
  ])('refuse the whole list for %s', async (_, wrong) => {
    for (const list of [[wrong], [one, wrong], [wrong, one]]) {
      await expect(parseTrustedKeys(list, '--trusted-key')).rejects.toMatchObject({ code: 'invalid_option' });
    }
  });

  it('between two commas are no key', async () => {
    for (const text of [`${one},,${two}`, `,${one}`, `${one},`, ',']) {
      await expect(parseTrustedKeys(splitKeys(text), 'TROUPE_TRUSTED_KEYS')).rejects.toThrow(
        /TROUPE_TRUSTED_KEYS is empty/,
      );
    }
  });

  it('are not shown whole in errors: they may be private keys by mistake', async () => {
    const seed = 'f'.repeat(63).padStart(64, '7');
    const error = await parseTrustedKeys([`${seed}00`], '--key').catch(String);
    expect(error).toContain('"7fffffffffff"…');
    expect(error).not.toContain(seed);
  });

  it('are no more than 64', async () => {
    await expect(parseTrustedKeys(new Array(65).fill(one), '--key')).rejects.toThrow(/limit is 64/);
  });
});

describe('key files', () => {
  it('hold a pair, the private key for its owner alone', () =>
    inFreshDirectory(async (parent) => {
      const name = join(parent, 'me');
      const { publicKey, privateKeyFile, publicKeyFile } = await generateKeyFiles(name);
      expect([privateKeyFile, publicKeyFile]).toEqual([`${name}.key`, `${name}.pub`]);
      expect(readFileSync(publicKeyFile, 'utf8')).toBe(`${publicKey}\n`);
      expect(await parseTrustedKeys([publicKey], '--key')).toEqual([publicKey]);
      const { seed, isExposed } = await readPrivateKey(privateKeyFile);
      expect(Buffer.from(await toPublicKey(seed)).toString('hex')).toBe(publicKey);
      expect(isExposed).toBe(false);
      if (process.platform !== 'win32') expect(statSync(privateKeyFile).mode & 0o777).toBe(0o600);
      chmodSync(privateKeyFile, 0o640);
      expect((await readPrivateKey(privateKeyFile)).isExposed).toBe(process.platform !== 'win32');
    }));

  it.each(['me.key', 'me.pub'])('are never overwritten: %s is there', (there) =>
    inFreshDirectory(async (parent) => {
      writeFileSync(join(parent, there), 'mine');
      await expect(generateKeyFiles(join(parent, 'me'))).rejects.toMatchObject({ code: 'signing_key_exists' });
      expect(readdirSync(parent)).toEqual([there]);
      expect(readFileSync(join(parent, there), 'utf8')).toBe('mine');
    }),
  );

  it('cannot be made in a directory that is not there', () =>
    inFreshDirectory(async (parent) => {
      await expect(generateKeyFiles(join(parent, 'none', 'me'))).rejects.toMatchObject({ code: 'path_invalid' });
    }));

  const ed448 = generateKeyPairSync('ed448').privateKey.export({ format: 'pem', type: 'pkcs8' });
  const locked = generateKeyPairSync('ed25519').privateKey.export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  });
  it.each<[string, string | Buffer, RegExp]>([
    ['empty', '', /is no private key/],
    ['a public key', `${one}\n`, /is no private key/],
    ['of another kind', ed448, /is a key of ed448, not of Ed25519/],
    ['behind a password', locked, /is no private key/],
    [
      'cut off',
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAA\n-----END PRIVATE KEY-----\n',
      /is no private key/,
    ],
    ['large', 'x'.repeat(20_000), /has 20000 bytes/],
  ])('that are %s are refused, and nothing of them is shown', (_, text, says) =>
    inFreshDirectory(async (parent) => {
      const path = join(parent, 'wrong.key');
      writeFileSync(path, text);
      await expect(readPrivateKey(path)).rejects.toMatchObject({
        code: 'signing_key_invalid',
        message: expect.stringMatching(says),
      });
    }),
  );

  const hasOpenssl = existsSync('/usr/bin/openssl');
  it.skipIf(!hasOpenssl)('are those of OpenSSL, which reads ours and writes others', () =>
    inFreshDirectory(async (parent) => {
      const { publicKey, privateKeyFile } = await generateKeyFiles(join(parent, 'me'));
      const der = execFileSync('openssl', ['pkey', '-in', privateKeyFile, '-pubout', '-outform', 'DER']);
      expect(der.subarray(12).toString('hex')).toBe(publicKey);
      const theirs = join(parent, 'theirs.key');
      execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', theirs]);
      expect((await readPrivateKey(theirs)).seed.length).toBe(32);
    }),
  );
});

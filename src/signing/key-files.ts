/** Key pairs as files: the private key in PKCS#8 (PEM), as OpenSSL reads and writes it, the public one as a line of hex. */

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { AppError, assert, hasErrorCode, throwFileError, writeDurably } from '../base/index.js';
import { toPublicKey } from './ed25519.js';

/** A private key in PEM has 119 bytes; some programs put a few lines before it. */
const MAX_KEY_BYTES = 16 * 1024;

/** A key pair that was written. */
export interface KeyFiles {
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
}

/** A private key that was read. */
export interface PrivateKey {
  /** 32 bytes. */
  readonly seed: Uint8Array;
  /** Whether other users of this machine can read its file. */
  readonly isExposed: boolean;
}

/**
 * Makes a key pair: `<name>.key`, which only its owner can read, and `<name>.pub`. Nothing is ever overwritten: while one
 * of the two is there, neither is written. Errors: `signing_key_exists`, those of writing files.
 */
export async function generateKeyFiles(name: string): Promise<KeyFiles> {
  const files = { privateKeyFile: `${name}.key`, publicKeyFile: `${name}.pub` };
  for (const path of Object.values(files)) {
    const isThere = await lstat(path).then(Boolean, () => false);
    if (isThere) throw keyExists(path);
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = Buffer.from(await toPublicKey(seedOf(privateKey))).toString('hex');
  await writeNew(files.privateKeyFile, String(privateKey.export({ format: 'pem', type: 'pkcs8' })), 0o600);
  try {
    await writeNew(files.publicKeyFile, `${publicKey}\n`, 0o644);
  } catch (error) {
    // This one is ours: it was made a moment ago.
    await rm(files.privateKeyFile, { force: true });
    throw error;
  }
  return { publicKey, ...files };
}

/** Reads a private key. Errors: `signing_key_invalid`, which never says what is in the file; those of reading files. */
export async function readPrivateKey(path: string): Promise<PrivateKey> {
  const refuse = (why: string): AppError =>
    new AppError(
      'signing_key_invalid',
      `${path} ${why}; give the .key file that sign_artifact keygen wrote, or another Ed25519 key in PKCS#8 (PEM) without a password`,
      { path },
    );
  const file = await open(path).catch(throwFileError('read', path));
  try {
    const { size, mode } = await file.stat();
    if (size > MAX_KEY_BYTES) throw refuse(`has ${size} bytes; a private key has at most ${MAX_KEY_BYTES}`);
    const text = await file.readFile('utf8').catch(throwFileError('read', path));
    const key = parsePem(text);
    if (key === undefined) throw refuse('is no private key');
    if (key.asymmetricKeyType !== 'ed25519')
      throw refuse(`is a key of ${String(key.asymmetricKeyType)}, not of Ed25519`);
    // Windows has no such bits: what Node says there means nothing.
    return { seed: seedOf(key), isExposed: process.platform !== 'win32' && (mode & 0o077) !== 0 };
  } finally {
    await file.close();
  }
}

/** Undefined for anything else, also where it is behind a password. */
function parsePem(text: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: text, format: 'pem' });
  } catch {
    return undefined;
  }
}

function seedOf(key: KeyObject): Uint8Array {
  const { d } = key.export({ format: 'jwk' });
  assert(typeof d === 'string', 'a private key has its seed');
  return Buffer.from(d, 'base64url');
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  await writeDurably(path, text, mode).catch((error: unknown) => {
    if (hasErrorCode(error, 'EEXIST')) throw keyExists(path);
    return throwFileError('write', path)(error);
  });
}

function keyExists(path: string): AppError {
  const message = `${path} is there already, and a key is never overwritten; choose another name`;
  return new AppError('signing_key_exists', message, { path });
}

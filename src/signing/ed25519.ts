/**
 * Ed25519 (RFC 8032), strictly. Two independent implementations must accept a signature, @noble/ed25519 and OpenSSL by
 * node:crypto. Key and signature must have the one unambiguous encoding. Neither is strict by itself: OpenSSL takes
 * keys of small order and non-canonical keys, noble takes signatures with a part of small order.
 */

import { createPrivateKey, createPublicKey, sign as signWithNode, verify as verifyWithNode } from 'node:crypto';
import { assert, AppError } from '../base/index.js';

/** Bytes of a public key, and of the seed that is a private one. */
export const ED25519_KEY_BYTES = 32;
/** Bytes of a signature: the point R and the number S. */
export const SIGNATURE_BYTES = 64;

/** What stands before the key in DER. Source: RFC 8410, sections 4 and 7. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const HEX_KEY = /^[0-9a-f]{64}$/i;
/** Characters of a mistyped key that an error shows. */
const SHOWN = 12;

/** Loaded when there is something to sign or to verify: most models are not signed. */
const loadNoble = () => import(/* webpackMode: "eager" */ '@noble/ed25519');

/**
 * A public key as it is written in configurations, 64 hexadecimal digits, in lower case. `where` is what errors call it;
 * they show its beginning only, since it may be a private key by mistake.
 * Errors: `invalid_option` for another length, for what is no point, or one that is not canonical or of small order.
 */
export async function parsePublicKey(text: string, where: string): Promise<string> {
  const refuse = (why: string): AppError => {
    const shown = text === '' ? 'empty' : `${JSON.stringify(text.slice(0, SHOWN))}${text.length > SHOWN ? '…' : ''}`;
    const message = `${where} is ${shown}, ${why}; a public key is the 64 hexadecimal digits in a .pub file`;
    return new AppError('invalid_option', message, { param: where });
  };
  if (/\.(pub|key)$/.test(text)) throw refuse('the path of a file and not a key: give the content of the .pub file');
  if (!HEX_KEY.test(text)) throw refuse(`which has ${text.length} characters and is not 64 hexadecimal digits`);
  const why = await whyNoKey(Buffer.from(text, 'hex'));
  if (why !== undefined) throw refuse(why);
  return text.toLowerCase();
}

/** Why these 32 bytes are no public key that may be trusted; undefined where they are one. */
export async function whyNoKey(key: Uint8Array): Promise<string | undefined> {
  const { Point } = await loadNoble();
  try {
    const point = Point.fromBytes(key, false);
    if (point.isSmallOrder()) return 'which is a point of small order: every person can sign for it';
    // With a part of small order, implementations differ on what it has signed.
    return point.isTorsionFree() ? undefined : 'which is not in the group of Ed25519';
  } catch {
    return 'which is no point of the curve in its one canonical form';
  }
}

/** Whether `key` has signed `message`. Never throws for wrong bytes of any length. */
export async function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (key.length !== ED25519_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if ((await whyNoKey(key)) !== undefined) return false;
  const { Point, verifyAsync } = await loadNoble();
  try {
    if (Point.fromBytes(signature.subarray(0, ED25519_KEY_BYTES), false).isSmallOrder()) return false;
  } catch {
    return false;
  }
  if (!(await verifyAsync(signature, message, key, { zip215: false }))) return false;
  return verifyWithNode(null, message, toPublicKeyObject(key), signature);
}

/** Signs `message` with the private key of this seed. The two implementations must make the same bytes. */
export async function signMessage(seed: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const { signAsync } = await loadNoble();
  const signature = await signAsync(message, seed);
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  const twin = signWithNode(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  assert(twin.equals(signature), 'two implementations of Ed25519 differ');
  return signature;
}

/** The public key of a seed. */
export async function toPublicKey(seed: Uint8Array): Promise<Uint8Array> {
  const { getPublicKeyAsync } = await loadNoble();
  return getPublicKeyAsync(seed);
}

/** The public key as DER, SubjectPublicKeyInfo of RFC 8410. */
export function toDer(key: Uint8Array): Buffer {
  return Buffer.concat([PUBLIC_PREFIX, key]);
}

function toPublicKeyObject(key: Uint8Array) {
  return createPublicKey({ key: toDer(key), format: 'der', type: 'spki' });
}

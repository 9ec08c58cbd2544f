// The form of a secret: `gwk_<6>_<43 base62>_<6 base62>`, or `hak_…` for the hosted API. The prefix may be shown. 43
// random characters (256 bits) are the secret. A CRC-32 of the text before it detects a typing error without a look-up.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MAX_SECRET_LENGTH } from '../limits.js';

/** The owner of a secret: a client's key, an administrator's token, a key of an account of the hosted API. */
export type SecretKind = 'gwk' | 'gwa' | 'hak';

/** A secret that was just made. It is shown once and stored nowhere; `hash` is stored. */
export interface KeySecret {
  readonly secret: string;
  /** Its beginning, such as `gwk_ab12cd`, which lists and logs may show. */
  readonly prefix: string;
  /** SHA-256 of the whole secret, 64 hexadecimal digits in lower case. */
  readonly hash: string;
}

/** A well-formed secret, without the secret. */
export interface ParsedSecret {
  readonly kind: SecretKind;
  readonly prefix: string;
  readonly hash: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 in a byte. Bytes from there on are drawn again: every character is then as likely. */
const FAIR_BYTES = 248;
const NAME_LENGTH = 6;
const RANDOM_LENGTH = 43;
/** 62^6 is above 2^32. */
const CHECK_LENGTH = 6;
/** Every part has a fixed width: matching takes linear time. */
const FORMAT = /^(gwk|gwa|hak)_[0-9A-Za-z]{6}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;
const PREFIX_LENGTH = 'gwk_'.length + NAME_LENGTH;
const CHECKED_LENGTH = PREFIX_LENGTH + '_'.length + RANDOM_LENGTH;

/** A new secret. `random` returns the requested number of random bytes. */
export function createKeySecret(kind: SecretKind, random: (sizeBytes: number) => Uint8Array = randomBytes): KeySecret {
  const prefix = `${kind}_${randomText(NAME_LENGTH, random)}`;
  const checked = `${prefix}_${randomText(RANDOM_LENGTH, random)}`;
  const secret = `${checked}_${checkText(checked)}`;
  return { secret, prefix, hash: hashSecret(secret) };
}

/** The parts of a well-formed secret; undefined for anything else. Takes linear time and never throws. */
export function parseKeySecret(text: string): ParsedSecret | undefined {
  if (text.length > MAX_SECRET_LENGTH) return undefined;
  const kind = FORMAT.exec(text)?.[1];
  if (kind !== 'gwk' && kind !== 'gwa' && kind !== 'hak') return undefined;
  if (text.slice(CHECKED_LENGTH + 1) !== checkText(text.slice(0, CHECKED_LENGTH))) return undefined;
  return { kind, prefix: text.slice(0, PREFIX_LENGTH), hash: hashSecret(text) };
}

/** Compares two hashes in constant time. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function checkText(checked: string): string {
  let rest = crc32(checked);
  let text = '';
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = BASE62.charAt(rest % BASE62.length) + text;
    rest = Math.floor(rest / BASE62.length);
  }
  return text;
}

function randomText(length: number, random: (sizeBytes: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < FAIR_BYTES) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}

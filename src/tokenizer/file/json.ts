import { type JsonObject } from '../../base/index.js';
import { tokenizerInvalid } from '../errors.js';

/** Parses JSON text into an object. Errors: `tokenizer_invalid`. */
export function parseJsonObject(text: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw tokenizerInvalid(where, 'is not JSON');
  }
  return toObject(value, where);
}

/** `value` as an object. Errors: `tokenizer_invalid`, as in the other functions here. */
export function toObject(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw tokenizerInvalid(where, 'is not an object');
  return value as JsonObject;
}

/** `value` as a list of at most `limit` items. */
export function toList(value: unknown, where: string, limit: number): readonly unknown[] {
  if (!Array.isArray(value)) throw tokenizerInvalid(where, 'is not a list');
  if (value.length > limit) throw tokenizerInvalid(where, `has ${value.length} items, the limit is ${limit}`);
  return value;
}

/** `value` as a string. */
export function toText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw tokenizerInvalid(where, 'is not a string');
  return value;
}

/** `value` as true or false; `absent` when it is missing or null. */
export function readFlag(value: unknown, where: string, absent: boolean): boolean {
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'boolean') throw tokenizerInvalid(where, 'is neither true nor false');
  return value;
}

/** `value` as an integer in [0, limit). */
export function toIndex(value: unknown, where: string, limit: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= limit) {
    throw tokenizerInvalid(where, `is ${JSON.stringify(value)}, not an integer from 0 to ${limit - 1}`);
  }
  return value;
}

/** `value`, Base64 in its plain alphabet, as bytes. */
export function readBase64(value: string, where: string): Uint8Array {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.toString('base64').replaceAll('=', '') !== value.replaceAll('=', ''))
    throw tokenizerInvalid(where, 'is not Base64');
  return new Uint8Array(bytes);
}

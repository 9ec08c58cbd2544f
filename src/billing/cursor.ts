// A cursor of a page, authenticated by this installation: a changed one, or another account's, is refused.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidValue } from '../base/index.js';
import type { PageQuery } from './pages.js';

/** Makes and reads cursors. */
export interface Cursors {
  /** `list`: the list and its owner. */
  write(list: string, place: readonly (string | number)[]): string;
  /** Undefined: from the beginning. Errors: `invalid_value`. */
  read(list: string, cursor: string | undefined): readonly (string | number)[] | undefined;
}

/** 128 bits of the HMAC are enough against guessing. */
const SEAL_BYTES = 16;
/** Longer than any of ours. */
const MAX_LENGTH = 2_048;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Cursors under a key. */
export function createCursors(key: Uint8Array): Cursors {
  const seal = (list: string, text: string): Buffer =>
    createHmac('sha256', key).update(`cursor ${list} ${text}`).digest().subarray(0, SEAL_BYTES);
  return {
    write(list, place) {
      const text = JSON.stringify(place);
      return `${Buffer.from(text).toString('base64url')}.${seal(list, text).toString('base64url')}`;
    },
    read(list, cursor) {
      if (cursor === undefined) return undefined;
      const [encoded = '', sealed = ''] = cursor.slice(0, MAX_LENGTH).split('.');
      const text = Buffer.from(encoded, 'base64url').toString();
      const [given, own] = [Buffer.from(sealed, 'base64url'), seal(list, text)];
      const isOurs = given.length === own.length && timingSafeEqual(given, own) && cursor.length <= MAX_LENGTH;
      if (!isOurs) throw invalidValue('cursor', 'not ours', 'one that a page of this list gave');
      return JSON.parse(text) as readonly (string | number)[];
    },
  };
}

/** How many items a page has. Errors: `invalid_value`. */
export function pageLimitOf({ limit = DEFAULT_LIMIT }: PageQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalidValue('limit', limit, `a whole number from 1 to ${MAX_LIMIT}`);
}

/** A page of rows, of which one more than its limit was read. */
export function toPage<T>(rows: readonly T[], limit: number, cursorAfter: (last: T) => string) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorAfter(last) : undefined };
}

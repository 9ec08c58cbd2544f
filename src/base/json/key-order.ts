import { readExactJson, type ExactJson } from './exact-json.js';
import { endOfJsonString } from './json-source.js';

/** Key of the names of an object's members in the order of its text: no JSON has a symbol for a key. */
const KEYS = Symbol('keys');

/** Deepest text whose order is kept. */
const MAX_DEPTH = 512;

/** A name that JavaScript moves to the front, with or without escapes. */
const NUMBER_AS_NAME = /"(?:\d|\\u003\d)+"\s*:/;

/** An object, and its names in the order of its text. */
export type KeyOrder = readonly [object: object, keys: readonly string[]];

/**
 * Makes the objects of `value`, which JSON.parse made from `text`, keep the order of their names. JavaScript moves
 * names like "10" to the front. A structured clone and a spread lose the order (`keyOrdersOf`). Returns `value`.
 */
export function keepKeyOrder<T>(value: T, text: string): T {
  if (!NUMBER_AS_NAME.test(text) || nestsDeeper(text)) return value;
  const exact = readExactJson(text);
  if (exact !== undefined) note(value, exact);
  return value;
}

/** JSON.parse that keeps the order of names. Errors: those of JSON.parse. */
export function parseInOrder(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return keepKeyOrder(value, text);
}

/** The names of an object's members, in the order of its text where known. */
export function keysInOrder(object: object): readonly string[] {
  const keys = Object.keys(object);
  const written = Reflect.get(object, KEYS) as readonly string[] | undefined;
  if (written?.length !== keys.length) return keys;
  return written.every((key) => Object.hasOwn(object, key)) ? written : keys;
}

/** The members of an object, in the same order. */
export function entriesInOrder(object: object): [name: string, value: unknown][] {
  return keysInOrder(object).map((key) => [key, Reflect.get(object, key) as unknown]);
}

/** An object with the same names in the same order, and the values of `change`. */
export function mapInOrder(object: object, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  const entries = entriesInOrder(object);
  const changed: Record<string, unknown> = Object.fromEntries(
    entries.map(([name, value]) => [name, change(value, name)]),
  );
  setKeys(
    changed,
    entries.map(([name]) => name),
  );
  return changed;
}

/** JSON.stringify with names in the order of the object's text. */
export function stringifyInOrder(value: object): string {
  return keyOrdersOf(value).length === 0 ? JSON.stringify(value) : (write(value) ?? 'null');
}

/**
 * The objects in `value` whose order differs from JavaScript's. Sent in one message with `value`, they stay the same
 * objects in the clone.
 */
export function keyOrdersOf(value: unknown): KeyOrder[] {
  const orders: KeyOrder[] = [];
  const queue = [value];
  for (let each = queue.pop(); each !== undefined; each = queue.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    if (Object.hasOwn(each, KEYS)) orders.push([each, keysInOrder(each)]);
    for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) queue.push(inner);
  }
  return orders;
}

/** Restores the orders of objects that were cloned. */
export function restoreKeyOrders(orders: readonly KeyOrder[]): void {
  for (const [object, keys] of orders) setKeys(object, keys);
}

function note(value: unknown, exact: ExactJson): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(exact)) exact.forEach((item, index) => note(Reflect.get(value, index), item));
  if (!(exact instanceof Map)) return;
  setKeys(value, [...exact.keys()]);
  for (const [key, item] of exact) note(Reflect.get(value, key), item);
}

/** An object in JavaScript's own order needs no record. */
function setKeys(object: object, keys: readonly string[]): void {
  if (Object.keys(object).every((key, index) => key === keys[index])) return;
  Object.defineProperty(object, KEYS, { value: keys });
}

/** Undefined for values without a form in JSON. */
function write(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (typeof Reflect.get(value, 'toJSON') === 'function') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => write(item) ?? 'null').join(',')}]`;
  const members = entriesInOrder(value).flatMap(([name, item]) => {
    const text = write(item);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

function nestsDeeper(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfJsonString(text, i);
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return false;
}

// The probable meaning of a value of the wrong type, as the end of a message.
import { describe } from '../../base/index.js';
import type { FieldSchema, Unit } from '../schema/field-schema.js';

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400 };
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, y: 365 };
const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  k: 2 ** 10,
  kb: 2 ** 10,
  kib: 2 ** 10,
  m: 2 ** 20,
  mb: 2 ** 20,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

const factors: Readonly<Record<Unit, (suffix: string) => number | undefined>> = {
  seconds: (suffix) => SECONDS[suffix],
  days: (suffix) => DAYS[suffix],
  MiB: (suffix) => scaled(BYTES[suffix], 2 ** 20),
  KiB: (suffix) => scaled(BYTES[suffix], 2 ** 10),
};

function scaled(bytes: number | undefined, unit: number): number | undefined {
  return bytes === undefined ? undefined : bytes / unit;
}

/** For an integer, of a scalar that is none: `; write 300`. Empty where nothing is known. */
export function integerHint(schema: FieldSchema, found: unknown): string {
  if (typeof found !== 'string') return '';
  const plain = found.replace(/[_,' ]/g, '');
  if (/^\d{1,15}$/.test(plain)) return plain === found ? '; take off its quotes' : `; write ${plain}`;
  const [, digits, suffix = ''] = /^(\d{1,12})\s*([A-Za-z]{1,3})$/.exec(found) ?? [];
  const factor = schema.unit === undefined ? undefined : factors[schema.unit](suffix.toLowerCase());
  const value = factor === undefined ? undefined : Number(digits) * factor;
  return value !== undefined && Number.isInteger(value) ? `; write ${value}` : '';
}

/** For a text, of a scalar that YAML reads as something else: `; put it in quotes: '0.10'`. `source`: the text in the file. */
export function textHint(schema: FieldSchema, source: string | undefined): string {
  if (schema.isSecret === true || source === undefined || !/^[\w.+:-]{1,24}$/.test(source)) return '; put it in quotes';
  return `; put it in quotes: '${source}'`;
}

/** A value for a message. Names of models and runtimes are shown whole; a value as long as a secret is not. */
export function describeValue(schema: FieldSchema, value: unknown): string {
  if (typeof value !== 'string')
    return Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'a map' : describe(value);
  if (value === '') return 'an empty text';
  if (schema.isSecret === true) return `a text of ${value.length} characters`;
  return quoteName(value) ?? `a text of ${value.length} characters`;
}

/** A short printable name in double quotes; undefined for anything that could be more than a name. */
export function quoteName(value: string): string | undefined {
  return /^[\w.:/+*-]{1,40}$/.test(value) ? `"${value}"` : undefined;
}

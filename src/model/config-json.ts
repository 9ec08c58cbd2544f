// Reading config.json: each field is asked for by name, checked, and remembered in the error when it is wrong.

import { AppError } from '../base/index.js';

/** A parsed config.json, read field by field. */
export interface ConfigReader {
  /** Dotted name of this object for messages; '' is the top. */
  readonly path: string;
  /** All of its fields. */
  readonly all: Readonly<Record<string, unknown>>;
  has(name: string): boolean;
  raw(name: string): unknown;
  /** A whole number in [min, max]. Errors: `config_invalid`. */
  integer(name: string, bounds: { min: number; max: number; fallback?: number }): number;
  /** A finite number above zero. Errors: `config_invalid`. */
  positive(name: string, fallback?: number): number;
  boolean(name: string, fallback: boolean): boolean;
  text(name: string): string | undefined;
  object(name: string): ConfigReader | undefined;
  /** The same with other values for some fields: what a family calls by names of its own. */
  with(others: Readonly<Record<string, unknown>>): ConfigReader;
}

/** Reads `json`, which must be an object. Errors: `config_invalid`. */
export function readConfig(json: unknown, path = ''): ConfigReader {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw configInvalid(path === '' ? 'config.json' : path, json, 'an object');
  }
  const fields = new Map<string, unknown>(Object.entries(json));
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  return {
    path,
    all: Object.fromEntries(fields),
    has: (name) => fields.get(name) !== undefined && fields.get(name) !== null,
    raw: (name) => fields.get(name),
    integer(name, { min, max, fallback }) {
      const value = fields.get(name) ?? fallback;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
      throw configInvalid(at(name), value, `a whole number from ${min} to ${max}`);
    },
    positive(name, fallback) {
      const value = fields.get(name) ?? fallback;
      if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
      throw configInvalid(at(name), value, 'a finite number above 0');
    },
    boolean(name, fallback) {
      const value = fields.get(name) ?? fallback;
      if (typeof value === 'boolean') return value;
      throw configInvalid(at(name), value, 'true or false');
    },
    text(name) {
      const value = fields.get(name) ?? undefined;
      if (value === undefined || typeof value === 'string') return value;
      throw configInvalid(at(name), value, 'a string');
    },
    object(name) {
      const value = fields.get(name) ?? undefined;
      return value === undefined ? undefined : readConfig(value, at(name));
    },
    with: (others) => readConfig({ ...json, ...others }, path),
  };
}

/** `config_invalid` for one field. */
export function configInvalid(field: string, value: unknown, expected: string): AppError {
  const shown = value === undefined ? 'absent' : JSON.stringify(value).slice(0, 80);
  return new AppError('config_invalid', `config.json: ${field} is ${shown}; it must be ${expected}`, { field });
}

/** `unsupported_config` for one field whose value would change the mathematics. */
export function unsupportedConfig(field: string, value: unknown, supported: string): AppError {
  const shown = JSON.stringify(value).slice(0, 80);
  return new AppError(
    'unsupported_config',
    `config.json: ${field} = ${shown} changes the model's mathematics and is not supported; supported: ${supported}`,
    { field },
  );
}

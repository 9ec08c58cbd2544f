import { readFile } from 'node:fs/promises';
import { AppError, throwFileError } from '../base/index.js';
import type { Terminal } from '../cli/index.js';
import type { SecretSource } from '../yaml-file/index.js';

/** Bytes of a file with a key: more is another file. */
const MAX_SECRET_BYTES = 4_096;

/** How a secret is read that a configuration file names. */
export interface SecretReading {
  readonly env: Terminal['env'];
  /** What it is, for the error. */
  readonly what: string;
  /** Of the error where it is not there, or no word of visible characters. */
  readonly code: string;
}

/** A secret of the environment or of a file. Errors: `code`, those of files. */
export async function readSecret(source: SecretSource, { env, what, code }: SecretReading): Promise<string> {
  const missing = (why: string): AppError => new AppError(code, `${what} is missing: ${why}`);
  const check = (secret: string, where: string): string => {
    if (secret.length <= MAX_SECRET_BYTES && /^[\x21-\x7e]+$/.test(secret)) return secret;
    throw missing(`${where} has no key in it: a key is one word of visible characters`);
  };
  if (source.from === 'env') {
    const value = env[source.name]?.trim() ?? '';
    if (value !== '') return check(value, `the environment variable ${source.name}`);
    throw missing(`the environment variable ${source.name} is not set`);
  }
  const text = await readFile(source.path, 'utf8').catch(throwFileError('read', source.path));
  if (text.trim() === '') throw missing(`the file ${source.path} is empty`);
  return check(text.trim(), `the file ${source.path}`);
}

import { readFile } from 'node:fs/promises';
import { AppError, throwFileError } from '../../base/index.js';

/** A credential from a file or the environment; empty where neither is named. Errors: `invalid_option`, those of files. */
export async function readCredential(
  { file, env: name }: { readonly file: string | undefined; readonly env: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (file !== undefined && name !== undefined)
    throw new AppError('invalid_option', '--credential-file and --credential-env are given both; give one.');
  if (file !== undefined)
    return checked((await readFile(file, 'utf8').catch(throwFileError('read', file))).trim(), file);
  return name === undefined ? '' : checked(env[name]?.trim() ?? '', `the environment variable ${name}`);
}

function checked(text: string, where: string): string {
  if (text !== '') return text;
  throw new AppError('invalid_option', `${where} has no credential in it.`, { where });
}

import { open } from 'node:fs/promises';
import type { AppError } from '../errors.js';
import { throwFileError } from './file-errors.js';

/**
 * Reads a whole file of at most `maxBytes`. `refuse` makes the error for a larger file or for no file. Errors: its own,
 * those of reading files.
 */
export async function readBoundedFile(
  path: string,
  maxBytes: number,
  refuse: (why: string) => AppError,
): Promise<Buffer> {
  const file = await open(path).catch(throwFileError('read', path));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse('is no file');
    if (found.size > maxBytes) throw refuse(`has ${found.size} bytes, and may have ${maxBytes}`);
    return await file.readFile().catch(throwFileError('read', path));
  } finally {
    await file.close();
  }
}

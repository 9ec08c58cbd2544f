import { readFile, stat } from 'node:fs/promises';
import { invalidValue, throwFileError } from '../../base/index.js';
import { readPriceFile } from '../../hosted/index.js';

/** Ten thousand prices with long names. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** The prices of a file. Errors: `prices_invalid`, `invalid_value` for a file that is too large, those of files. */
export async function readPrices(path: string): Promise<ReturnType<typeof readPriceFile>> {
  const { size } = await stat(path).catch(throwFileError('read', path));
  if (size > MAX_FILE_BYTES) throw invalidValue(path, `${size} bytes`, `at most ${MAX_FILE_BYTES} bytes`);
  return readPriceFile(await readFile(path, 'utf8').catch(throwFileError('read', path)), path);
}

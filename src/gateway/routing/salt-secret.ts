import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, hasErrorCode, makeDirectory, throwFileError, writeDurably } from '../../base/index.js';

const NAME = 'cache-salt.secret';
const BYTES = 32;

/**
 * The secret behind the salts: created once for each data directory, in a file of mode 0600. Errors: those of files.
 */
export async function readSaltSecret(dataDir: string): Promise<Uint8Array> {
  const path = join(dataDir, NAME);
  try {
    const found = await readFile(path);
    if (found.length === BYTES) return found;
    const message = `${path} is not a secret of ${BYTES} bytes; remove it, and cached prompts are computed once more`;
    throw new AppError('gateway_data_invalid', message, { path });
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
  const made = randomBytes(BYTES);
  await makeDirectory(dataDir, 0o700).catch(throwFileError('write', dataDir));
  await writeDurably(path, made, 0o600).catch(throwFileError('write', path));
  return made;
}

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from '../errors.js';

/**
 * Creates a directory with its parents, each with `mode` less the umask. Node's own `recursive` never returns, and
 * fills the memory, where no directory can be made, as in /proc. Errors: those of the system, ENOTDIR where a file is
 * in the way.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) {
    await makeDirectory(dirname(path), mode).catch((error: unknown) => {
      // A file is in the way: the error of the `mkdir` below describes this path.
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    });
  }
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST') || !(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { hasErrorCode, throwFileError } from '../base/index.js';

/** A hard link to a file, or a copy on a file system without links. Errors: those of writing files. */
export async function linkIn(path: string, place: string): Promise<void> {
  try {
    await link(path, place);
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EACCES')) {
      throwFileError('write', place)(error);
    }
    // COPYFILE_FICLONE shares the blocks where that is possible, and copies them elsewhere.
    await copyFile(path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(
      throwFileError('write', place),
    );
  }
}

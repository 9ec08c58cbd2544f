import { statfs } from 'node:fs/promises';
import { AppError } from '../errors.js';

/**
 * Refuses to begin a write that will not fit: `bytes` at `path`, on the file system of `directory`. The system refuses
 * later if other writers fill the disk meanwhile. `instead`: advice, as the end of a sentence. Errors: `disk_full`.
 */
export async function checkDiskRoom(
  path: string,
  directory: string,
  bytes: number,
  instead = 'choose another place',
): Promise<void> {
  // Where the system does not report free space, or may not be asked, the write may begin.
  const found = await statfs(directory).catch(() => undefined);
  if (found === undefined || found.blocks === 0) return;
  const freeBytes = found.bavail * found.bsize;
  if (bytes <= freeBytes) return;
  const message = `${path} cannot be written: it takes ${toSize(bytes)}, and ${toSize(freeBytes)} are free there; make room, or ${instead}`;
  throw new AppError('disk_full', message, { path, totalBytes: bytes, freeBytes });
}

function toSize(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}

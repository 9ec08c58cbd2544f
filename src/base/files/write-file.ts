// Files and folders that exist whole or not at all, even after a crash of the process or machine. They are written
// beside their final path, made durable, then renamed. Source: POSIX rename() replaces at once; its data lasts after
// fsync() of the file and of its folder.

import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A name beside `path` that no other process uses: it ends with `.partial-` and 12 hexadecimal digits. */
export function partialPath(path: string): string {
  return `${path}.partial-${randomBytes(6).toString('hex')}`;
}

/**
 * Puts a file at `path`, replacing an existing one, whole or not at all. Its folder must exist. `mode`: of the new
 * file, less the umask. `beside`: a path of the same file system, beside which the file is written first. Errors: those
 * of the system.
 */
export async function replaceFile(path: string, data: string | Uint8Array, mode = 0o666, beside = path): Promise<void> {
  const partial = partialPath(beside);
  try {
    await writeDurably(partial, data, mode);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Writes a new file through to the disk. Errors: those of the system; EEXIST when `path` exists. */
export async function writeDurably(path: string, data: string | Uint8Array, mode = 0o666): Promise<void> {
  await using file = await open(path, 'wx', mode);
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  // Node's own write takes half a MiB at a time and returns to this thread each time, which may have other work.
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done)).bytesWritten;
  await file.sync();
}

/** Names in a directory are durable after a sync of the directory; systems that cannot sync one do not need it. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  await directory?.sync().catch(() => {});
  await directory?.close();
}

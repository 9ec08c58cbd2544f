import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MeterStorage } from './meter.js';

/** The files of a data directory. A file that disappears in between is left out. */
export async function readStorage(directory: string, sqlite: string): Promise<MeterStorage> {
  const names = await readdir(directory).catch(() => []);
  const sized = names.map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined);
    return found?.isFile() === true ? [{ name, sizeBytes: found.size }] : [];
  });
  return { sqlite, files: (await Promise.all(sized)).flat() };
}

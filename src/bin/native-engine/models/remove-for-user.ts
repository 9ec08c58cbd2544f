import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeWithImport } from '../../../models/index.js';
import type { Store, StoredModel } from '../../../store/index.js';
import { listParts } from '../../../weights/index.js';

/** Removes a model, with what was made of it in the cache; the bytes that are free now. Errors: those of removing files. */
export async function removeForUser(store: Store, model: StoredModel, cacheDir: string | undefined): Promise<number> {
  const bytes = await ownBytes(model);
  return bytes + (await removeWithImport(store, model, cacheDir));
}

/** Bytes that no other name has: a link, and a copy that shares its files, free nothing. */
async function ownBytes({ path, isFile }: StoredModel): Promise<number> {
  if ((await lstat(path)).isSymbolicLink()) return 0;
  const files = isFile ? await listParts(path) : (await readdir(path)).map((name) => join(path, name));
  const found = await Promise.all(files.map(async (file) => lstat(file).catch(() => undefined)));
  return found.reduce((sum, file) => sum + (file?.isFile() === true && file.nlink === 1 ? file.size : 0), 0);
}

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FORMAT_VERSION, isWholeArtifact, PACKING_VERSION } from '../artifact/index.js';
import { isFree, throwFileError } from '../base/index.js';
import { knownDigest } from '../store/index.js';

/** Raised when the converter's output for the same file changes: other artifacts are then not used. */
const IMPORT_VERSION = 1;
/** Folder of the artifacts in the cache directory. */
const FOLDER = 'models';
/** Partial directories, named by `workOf`. */
const PARTIAL = /^(import-[0-9a-f]{32})\.partial-[0-9a-f]{12}$/;

/** The artifact's path for a file with that digest, existing or not. */
export function importPathOf(digest: string, cache: string): string {
  return join(cache, FOLDER, `gguf-${digest}-${FORMAT_VERSION}.${PACKING_VERSION}.${IMPORT_VERSION}`);
}

/** Path of the work on a file of that identity, before its digest is known: lock and partial directory have this name. */
export function workOf(identity: string, cache: string): string {
  return join(cache, FOLDER, `import-${identity}`);
}

/** The artifact of a file with a remembered digest, if it is complete. */
export async function findKnown(identity: string, cache: string): Promise<string | undefined> {
  const digest = await knownDigest(identity, cache);
  const place = digest === undefined ? undefined : importPathOf(digest, cache);
  return place !== undefined && (await isWholeArtifact(place)) ? place : undefined;
}

/** Bytes of weights.bin that another process has written at `work`. */
export async function writtenBytes(work: string): Promise<number> {
  const names = await readdir(dirname(work)).catch(() => []);
  const partial = names.find((name) => PARTIAL.exec(name)?.[1] === basename(work));
  const found = partial && (await stat(join(dirname(work), partial, 'weights.bin')).catch(() => undefined));
  return found ? found.size : 0;
}

/** Removes the remains of dead conversions; this process holds the lock of `work`. */
export async function sweepConversions(work: string): Promise<void> {
  const folder = dirname(work);
  for (const entry of await readdir(folder).catch(throwFileError('read', folder))) {
    const [, base] = PARTIAL.exec(entry) ?? [];
    if (base === undefined || (base !== basename(work) && !(await isFree(join(folder, `${base}.lock`))))) continue;
    await rm(join(folder, entry), { recursive: true, force: true }).catch(() => {});
  }
}

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FORMAT_VERSION, isWholeArtifact, PACKING_VERSION } from '../artifact/index.js';
import { isFree, throwFileError } from '../base/index.js';
import { knownDigest } from '../store/index.js';
import type { OnNotice } from './notice.js';

/** Raised when the converter makes something else of the same file: then what was made before is not taken for it. */
const IMPORT_VERSION = 5;
/** Where artifacts of files are kept, in the cache directory. */
const FOLDER = 'models';
/** What is being made of a file, under the name of `workOf`; earlier versions of this package gave it that of its place. */
const PARTIAL = /^(import-[0-9a-f]{32}|gguf-[0-9a-f]{64}-[\d.]+)\.partial-[0-9a-f]{12}$/;
/** An artifact of a file, by any version of this package. */
const IMPORTED = /^(gguf-[0-9a-f]{64}-)[\d.]+$/;

/** Where the artifact of a file with that digest is, or would be. */
export function placeOf(digest: string, cache: string): string {
  return join(cache, FOLDER, `gguf-${digest}-${FORMAT_VERSION}.${PACKING_VERSION}.${IMPORT_VERSION}`);
}

/** Where the artifact of a file of that identity is made, before its digest is known: a lock and a partial directory have this name. */
export function workOf(identity: string, cache: string): string {
  return join(cache, FOLDER, `import-${identity}`);
}

/** The artifact of a file whose digest is remembered, where it is whole. */
export async function findKnown(identity: string, cache: string): Promise<string | undefined> {
  const digest = await knownDigest(identity, cache);
  const place = digest === undefined ? undefined : placeOf(digest, cache);
  return place !== undefined && (await isWholeArtifact(place)) ? place : undefined;
}

/** Removes what earlier versions made of the same file, which nobody reads any more; one that is being made stays. */
export async function removeReplaced(place: string, onNotice: OnNotice | undefined): Promise<void> {
  const folder = dirname(place);
  const [, prefix] = IMPORTED.exec(basename(place)) ?? [];
  for (const entry of await readdir(folder).catch(() => [])) {
    if (entry === basename(place) || IMPORTED.exec(entry)?.[1] !== prefix) continue;
    const old = join(folder, entry);
    if (!(await isFree(`${old}.lock`))) continue;
    await rm(old, { recursive: true, force: true }).then(
      () =>
        onNotice?.({ kind: 'replaced', text: `removed ${old}, which an earlier version had made of the same file` }),
      () => {},
    );
  }
}

/** How much of weights.bin another process has written at `work`. */
export async function writtenBytes(work: string): Promise<number> {
  const names = await readdir(dirname(work)).catch(() => []);
  const partial = names.find((name) => PARTIAL.exec(name)?.[1] === basename(work));
  const found = partial && (await stat(join(dirname(work), partial, 'weights.bin')).catch(() => undefined));
  return found ? found.size : 0;
}

/** Removes what conversions left that are no longer under way; the lock of `work` is ours. */
export async function sweep(work: string): Promise<void> {
  const folder = dirname(work);
  for (const entry of await readdir(folder).catch(throwFileError('read', folder))) {
    const [, base] = PARTIAL.exec(entry) ?? [];
    if (base === undefined || (base !== basename(work) && !(await isFree(join(folder, `${base}.lock`))))) continue;
    await rm(join(folder, entry), { recursive: true, force: true }).catch(() => {});
  }
}

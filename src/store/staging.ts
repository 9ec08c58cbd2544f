// Staging directories: hidden directories in the models directory, from which a rename moves a finished model.
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isWholeArtifact } from '../artifact/index.js';
import { bootId, isFree, syncDirectory, throwFileError, tryLock, writeDurably, type FileLock } from '../base/index.js';
import { isInternal } from './model-names.js';
import { finishFiles } from './place-files.js';

/** Process, start of the machine, and a number within the process. */
const STAGING = /^\.staging-\d+-[0-9a-f]{1,8}-[0-9a-f]{12}$/;
const LOCK = /^\.(?:staging-\d+-[0-9a-f]{1,8}-[0-9a-f]{12}|model-.+)\.lock$/;
/** In a staging directory: the new model, the replaced one, and the target's name. */
const [ARTIFACT, REPLACED, PLACE] = ['artifact', 'replaced', 'place'];
/** Bytes of the longest name. */
const MAX_PLACE = 255;

/** A private directory of one process, in the models directory. Disposing of it removes it with all that is in it. */
export interface Staging extends AsyncDisposable {
  /** Is there, and empty. */
  readonly directory: string;
  /** Where the artifact is made; it does not exist yet. */
  readonly artifact: string;
}

/** The result of cleaning up after a dead process. */
export interface Swept {
  /** `removed`: it was incomplete. `finished`, `restored`: a replacement was completed or undone. */
  readonly kind: 'removed' | 'finished' | 'restored';
  /** The model that is back in place. */
  readonly name: string | undefined;
  readonly path: string;
  /** Bytes that were freed. */
  readonly bytes: number;
}

/** Whether an entry of a models directory is such a directory. */
export function isStaging(name: string): boolean {
  return STAGING.test(name);
}

/** The lock of a model's name. Names that differ in case share one, since a file system may not distinguish them. */
export function placeLock(modelsDir: string, name: string): string {
  return join(modelsDir, `.model-${name.toLowerCase()}.lock`);
}

/** Creates a staging directory, whose lock shows that its process lives. Errors: those of writing files. */
export async function openStaging(modelsDir: string): Promise<Staging> {
  const boot = (await bootId())?.slice(0, 8) ?? '0';
  const directory = join(modelsDir, `.staging-${process.pid}-${boot}-${randomBytes(6).toString('hex')}`);
  // Before the directory: one without a lock is of a dead process.
  const lock = await tryLock(`${directory}.lock`).catch(throwFileError('write', modelsDir));
  try {
    await mkdir(directory);
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    return throwFileError('write', modelsDir)(error);
  }
  return { directory, artifact: join(directory, ARTIFACT), [Symbol.asyncDispose]: () => close(directory, lock) };
}

async function close(directory: string, lock: FileLock | null): Promise<void> {
  // Remains are swept later; the error that ended the work matters more.
  await rm(directory, { recursive: true, force: true }).catch(() => {});
  await lock?.[Symbol.asyncDispose]();
}

/**
 * Moves the artifact of a staging directory into place, and the former one into the staging directory. At any moment
 * `sweepStaging` can put the old one or the new one in place. Errors: those of writing files.
 */
export async function publish({ directory, artifact }: Staging, modelsDir: string, name: string): Promise<void> {
  const place = join(modelsDir, name);
  try {
    await syncDirectory(directory);
    if (await isThere(place)) {
      await writeDurably(join(directory, PLACE), name);
      await syncDirectory(directory);
      await rename(place, join(directory, REPLACED));
    }
    await rename(artifact, place);
  } catch (error) {
    await putBack(directory, place).catch(() => {});
    return throwFileError('write', place)(error);
  }
  await syncDirectory(modelsDir);
}

/** Moves a model into the staging directory. Errors: those of writing files. */
export async function takeAway({ directory }: Staging, modelsDir: string, name: string): Promise<void> {
  const place = join(modelsDir, name);
  await rename(place, join(directory, name)).catch(throwFileError('write', place));
  await syncDirectory(modelsDir);
}

/**
 * Removes remains of dead processes in a models directory, and completes or undoes their replacements. Errors: those of
 * reading the directory; undeletable remains stay.
 */
export async function sweepStaging(modelsDir: string): Promise<Swept[]> {
  const names = await readdir(modelsDir).catch(() => []);
  const swept: Swept[] = [];
  for (const entry of names.filter(isStaging)) {
    const path = join(modelsDir, entry);
    // Held during a sweep: of several processes one sweeps.
    const lock = (await isFree(`${path}.lock`)) ? await tryLock(`${path}.lock`).catch(() => null) : null;
    if (lock === null) continue;
    await using _ = lock;
    if (!(await isThere(path))) continue;
    const settled = await settle(modelsDir, path);
    const bytes = await bytesOf(path);
    await rm(path, { recursive: true, force: true }).catch(() => {});
    swept.push({ kind: settled?.kind ?? 'removed', name: settled?.name, path, bytes });
  }
  for (const entry of names.filter((name) => LOCK.test(name))) {
    const path = join(modelsDir, entry);
    if (await isFree(path)) await rm(path, { force: true }).catch(() => {});
  }
  return swept;
}

/** Ends an interrupted replacement: with the new model if it is complete, else with the old one. */
async function settle(modelsDir: string, path: string): Promise<Pick<Swept, 'kind' | 'name'> | undefined> {
  const files = await finishFiles(modelsDir, { directory: path, artifact: join(path, ARTIFACT) });
  if (files !== undefined) return { kind: 'finished', name: files };
  const name = await readPlace(path);
  if (name === undefined) return undefined;
  const place = join(modelsDir, name);
  if ((await isThere(place)) || !(await isThere(join(path, REPLACED)))) return undefined;
  const isWhole = await isWholeArtifact(join(path, ARTIFACT));
  const isDone = await rename(join(path, isWhole ? ARTIFACT : REPLACED), place).then(
    () => true,
    () => false,
  );
  await syncDirectory(modelsDir);
  return isDone ? { kind: isWhole ? 'finished' : 'restored', name } : undefined;
}

/** The name in a staging directory, if it is one that a model may have. */
async function readPlace(path: string): Promise<string | undefined> {
  const file = join(path, PLACE);
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() !== true || found.size > MAX_PLACE) return undefined;
  const name = await readFile(file, 'utf8').catch(() => '');
  return /^[^/\\\0]+$/.test(name) && !isInternal(name) ? name : undefined;
}

async function putBack(directory: string, place: string): Promise<void> {
  if (!(await isThere(place))) await rename(join(directory, REPLACED), place);
}

/** Bytes of the files below `path`; an unreadable file counts 0. */
export async function bytesOf(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) sum += await bytesOf(inner);
    else if (entry.isFile()) sum += (await stat(inner).catch(() => undefined))?.size ?? 0;
  }
  return sum;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

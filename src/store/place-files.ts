// Moves the files of a model to their names: all of them or none, whenever the process dies.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, hasErrorCode, syncDirectory, throwFileError, writeDurably } from '../base/index.js';
import { linkIn } from './link-in.js';
import { isInternal } from './model-names.js';

/** In a staging directory: the names that are being replaced, and their former files. */
const [JOURNAL, ASIDE] = ['files', 'aside'];
/** A suffix that no name has. */
const SEPARATOR = '\0';

/** A staging directory, and in it the folder with the new files. */
interface StagedFiles {
  readonly directory: string;
  readonly artifact: string;
}

/**
 * Moves files out of a staging directory into the models directory; the first of `names` represents all. One file moves
 * at once. Of several the old ones go into the staging directory first, and `finishFiles` completes the work of a dead
 * process. Errors: `name_taken` for an existing model that may not be replaced. Those of writing files, after which the
 * former files are back.
 */
export async function placeFiles(
  { directory, artifact }: StagedFiles,
  modelsDir: string,
  names: readonly string[],
  mayReplace: boolean,
): Promise<void> {
  const there = await readdir(modelsDir).catch(throwFileError('read', modelsDir));
  const taken = names.find((name) => there.includes(name));
  if (taken !== undefined && !mayReplace) {
    throw new AppError('name_taken', `${taken} is there already; remove it first, or replace it (cp --force)`, {
      name: taken,
    });
  }
  const [only = ''] = names;
  if (names.length === 1 && taken === undefined) await linkIn(join(artifact, only), join(modelsDir, only));
  else if (names.length === 1) await move(join(artifact, only), join(modelsDir, only));
  else {
    await writeDurably(join(directory, JOURNAL), names.join(SEPARATOR));
    await syncDirectory(directory);
    try {
      await replaceAll(modelsDir, directory, artifact, names);
    } catch (error) {
      await takeBack(modelsDir, directory, artifact, names);
      throw error;
    }
  }
  await syncDirectory(modelsDir);
}

/** Completes the `placeFiles` of a dead process; returns the first name, or undefined if it had not begun. */
export async function finishFiles(
  modelsDir: string,
  { directory, artifact }: StagedFiles,
): Promise<string | undefined> {
  const names = await readNames(join(directory, JOURNAL));
  const left = await readdir(artifact).catch(() => []);
  if (names === undefined || left.length === 0 || !left.every((name) => names.includes(name))) return undefined;
  return replaceAll(modelsDir, directory, artifact, names).then(
    () => names[0],
    () => undefined,
  );
}

/** May be done again from any point of it on. */
async function replaceAll(
  modelsDir: string,
  directory: string,
  artifact: string,
  names: readonly string[],
): Promise<void> {
  const aside = join(directory, ASIDE);
  await mkdir(aside, { recursive: true }).catch(throwFileError('write', aside));
  // While all new files are here, the files with their names are old. The first goes first and comes last: without it
  // the model does not exist.
  if ((await readdir(artifact)).length === names.length)
    for (const name of names) await move(join(modelsDir, name), join(aside, name));
  for (const name of names.toReversed()) await move(join(artifact, name), join(modelsDir, name));
}

async function takeBack(
  modelsDir: string,
  directory: string,
  artifact: string,
  names: readonly string[],
): Promise<void> {
  const list = (path: string): Promise<readonly string[]> => readdir(path).catch(() => []);
  const [old, left] = [await list(join(directory, ASIDE)), await list(artifact)];
  for (const name of names.toReversed()) {
    const place = join(modelsDir, name);
    if (old.includes(name)) await rename(join(directory, ASIDE, name), place).catch(() => {});
    else if (!left.includes(name)) await rm(place, { force: true }).catch(() => {});
  }
}

/** A missing file was moved before. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT')) throwFileError('write', to)(error);
  });
}

/** The names of a journal, if all of them are ones that files of a model may have. */
async function readNames(path: string): Promise<readonly string[] | undefined> {
  const names = (await readFile(path, 'utf8').catch(() => '')).split(SEPARATOR);
  return names.every((name) => /^[^/\\]+\.gguf$/i.test(name) && !isInternal(name)) ? names : undefined;
}

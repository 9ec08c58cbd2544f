import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError, makeDirectory, syncDirectory, throwFileError, waitForLock } from '../base/index.js';
import { listParts, readPartName } from '../weights/index.js';
import { linkIn } from './link-in.js';
import { directoryNameOf, parseModelId } from './model-names.js';
import { describeArtifact, findStoredModel, isFirstPart, stemOf, type StoredModel } from './models-directory.js';
import { placeFiles } from './place-files.js';
import { removeLocked, removeModel } from './remove-model.js';
import { openStaging, placeLock, publish } from './staging.js';

/** How a model is copied. */
export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether a model that has the new name is replaced. */
  readonly mayReplace?: boolean;
  /** Called with the number of copied bytes, file by file. */
  readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
}

/**
 * A model of the store under another name. Its files are linked and take no space; where the file system cannot link,
 * they are copied. The replaced model is removed after the copy is complete and in place. Errors: `name_invalid`,
 * `name_taken`, those of reading and writing files; the reason of the signal.
 */
export async function copyModel(
  modelsDir: string,
  from: StoredModel,
  to: string,
  options: CopyOptions = {},
): Promise<StoredModel> {
  const { signal, mayReplace = false } = options;
  const id = parseModelId(to);
  const name = directoryNameOf(id?.revision === undefined && id !== undefined ? id.name : to, id?.quant);
  const files = await filesOf(from, name);
  await makeDirectory(modelsDir).catch(throwFileError('write', modelsDir));
  await using _ = await waitForLock(placeLock(modelsDir, name), { signal }).catch(throwFileError('write', modelsDir));
  const replaced = await findReplaced(modelsDir, name, from, mayReplace);
  await using staging = await openStaging(modelsDir);
  await mkdir(staging.artifact).catch(throwFileError('write', modelsDir));
  await copyFiles(files, staging.artifact, options);
  await syncDirectory(staging.artifact);
  const placed = from.isFile ? files.map((file) => file.name) : [name];
  if (from.isFile) await placeFiles(staging, modelsDir, placed, mayReplace);
  else await publish(staging, modelsDir, name);
  await removeReplaced(modelsDir, name, replaced, placed);
  const made = from.isFile
    ? await findStoredModel(modelsDir, files[0]?.name ?? name)
    : await describeArtifact(name, join(modelsDir, name));
  if (made !== undefined) return made;
  throw new AppError('name_taken', `${name} was removed when it had just been put in place`, { name });
}

interface CopiedFile {
  readonly path: string;
  /** The name of the copy. */
  readonly name: string;
  readonly bytes: number;
}

/** The files of a model, and the names of the copies. */
async function filesOf({ path, isFile }: StoredModel, name: string): Promise<CopiedFile[]> {
  const paths = isFile
    ? await listParts(path)
    : (await readdir(path).catch(throwFileError('read', path))).map((file) => join(path, file));
  const files: CopiedFile[] = [];
  for (const each of paths) {
    const found = await stat(each).catch(throwFileError('read', each));
    const copy = isFile ? fileNameOf(name, basename(each)) : basename(each);
    if (found.isFile()) files.push({ path: each, name: copy, bytes: found.size });
  }
  return files;
}

/** `new.gguf`, and of a part `new-00001-of-00003.gguf`. */
function fileNameOf(name: string, file: string): string {
  const part = readPartName(file);
  return part === undefined ? `${name}.gguf` : `${name}${file.slice(part.stem.length)}`;
}

/** The models that have the name, in any spelling, and go for the copy. Errors: `name_taken`. */
async function findReplaced(
  modelsDir: string,
  name: string,
  from: StoredModel,
  mayReplace: boolean,
): Promise<StoredModel[]> {
  const names = await readdir(modelsDir).catch(throwFileError('read', modelsDir));
  const isTaken = (each: string): boolean =>
    isFirstPart(each) && [each, stemOf(each)].some((one) => one.toLowerCase() === name.toLowerCase());
  const replaced: StoredModel[] = [];
  for (const there of names.filter(isTaken)) {
    const model = await findStoredModel(modelsDir, there);
    const isOurs = model?.name === from.name;
    if (!mayReplace || isOurs || model === undefined) {
      const why = isOurs
        ? 'it is the model itself; choose another'
        : 'a model has it already; remove that first, replace it (cp --force), or choose another';
      throw new AppError('name_taken', `${name} cannot be the name of a copy: ${why}`, { name });
    }
    replaced.push(model);
  }
  return replaced;
}

/** Removes the former owner of the name, if it lies elsewhere; `placed`: the new files of the copy. */
async function removeReplaced(
  modelsDir: string,
  name: string,
  replaced: readonly StoredModel[],
  placed: readonly string[],
): Promise<void> {
  const there = await readdir(modelsDir).catch(throwFileError('read', modelsDir));
  // Where a file system takes upper and lower case for one, the old spelling may be all that is listed of the new model.
  if (!placed.every((each) => there.includes(each))) return;
  for (const model of replaced.filter((each) => !placed.includes(each.name) && there.includes(each.name))) {
    // The lock of the name is ours already.
    const remove = model.name.toLowerCase() === name.toLowerCase() ? removeLocked : removeModel;
    await remove(modelsDir, model);
  }
}

async function copyFiles(files: readonly CopiedFile[], folder: string, options: CopyOptions): Promise<void> {
  const { signal, onProgress } = options;
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let doneBytes = 0;
  for (const { path, name, bytes } of files) {
    signal?.throwIfAborted();
    onProgress?.(doneBytes, totalBytes);
    await linkIn(path, join(folder, name));
    doneBytes += bytes;
  }
  onProgress?.(doneBytes, totalBytes);
  signal?.throwIfAborted();
}

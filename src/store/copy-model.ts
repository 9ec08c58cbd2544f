import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError, hasErrorCode, makeDirectory, syncDirectory, throwFileError, waitForLock } from '../base/index.js';
import { listParts, readPartName } from '../weights/index.js';
import { directoryNameOf, parseModelId } from './model-names.js';
import { describeArtifact, findStoredModel, type StoredModel } from './models-directory.js';
import { removeModel } from './remove-model.js';
import { openStaging, placeLock, publish } from './staging.js';

/** How a model is copied. */
export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether a model that has the new name is replaced. */
  readonly mayReplace?: boolean;
  /** Told of bytes that are in place, file by file. */
  readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
}

/**
 * A model of the store under another name. Its files are linked, so that they take no room; where the file system cannot,
 * they are copied. Errors: `name_invalid`, `name_taken`, those of reading and writing files; the reason of the signal.
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
  await makeFree(modelsDir, name, from, mayReplace);
  await using staging = await openStaging(modelsDir);
  await mkdir(staging.artifact).catch(throwFileError('write', modelsDir));
  await copyFiles(files, staging.artifact, options);
  await syncDirectory(staging.artifact);
  if (!from.isFile) await publish(staging, modelsDir, name);
  // The first part last: it stands for all.
  else
    for (const { name: file } of files.toReversed()) await linkIn(join(staging.artifact, file), join(modelsDir, file));
  const made = from.isFile
    ? await findStoredModel(modelsDir, files[0]?.name ?? name)
    : await describeArtifact(name, join(modelsDir, name));
  if (made !== undefined) return made;
  throw new AppError('name_taken', `${name} was removed when it had just been put in place`, { name });
}

interface CopiedFile {
  readonly path: string;
  /** What the copy is called. */
  readonly name: string;
  readonly bytes: number;
}

/** The files of a model, and what those of its copy are called. */
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

/** Errors: `name_taken`. */
async function makeFree(modelsDir: string, name: string, from: StoredModel, mayReplace: boolean): Promise<void> {
  const names = await readdir(modelsDir).catch(throwFileError('read', modelsDir));
  const folded = [name, `${name}.gguf`].map((each) => each.toLowerCase());
  const there = names.find((each) => folded.includes(each.toLowerCase()));
  if (there === undefined) return;
  const model = await findStoredModel(modelsDir, there);
  const isOurs = model?.name === from.name;
  if (!mayReplace || isOurs || model === undefined) {
    const why = isOurs
      ? 'it is the model itself; choose another'
      : 'a model has it already; remove that first, replace it (cp --force), or choose another';
    throw new AppError('name_taken', `${name} cannot be the name of a copy: ${why}`, {
      name,
    });
  }
  // An artifact is replaced when its successor is whole; a file, and what is called otherwise, goes now.
  if (model.isFile || from.isFile || model.name !== name) await removeUnlocked(modelsDir, model, name);
}

/** The lock of `name` is ours already. */
async function removeUnlocked(modelsDir: string, model: StoredModel, name: string): Promise<void> {
  if (model.name.toLowerCase() !== name.toLowerCase()) return removeModel(modelsDir, model);
  await rm(model.path, { recursive: true }).catch(throwFileError('write', model.path));
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
}

/** A second name for a file, or a copy of it on a file system that has no such. */
async function linkIn(path: string, place: string): Promise<void> {
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

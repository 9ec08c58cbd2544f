import { access, constants, lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { amendManifest, openArtifact } from '../artifact/index.js';
import { AppError, makeDirectory, throwFileError, waitForLock } from '../base/index.js';
import { copyModel, type CopyOptions } from './copy-model.js';
import { directoryNameOf } from './model-names.js';
import { findStoredModel, listModels, type StoredModel } from './models-directory.js';
import { toSource, type Origin } from './origin.js';
import { readOrigin } from './origin.js';
import { removeModel } from './remove-model.js';
import { openStaging, placeLock, publish, sweepStaging, type Staging, type Swept } from './staging.js';

/** A model to store: of a repository of a hub, or a local one by its name. */
export type NewStoredModel = Partial<Omit<Origin, 'requantised' | 'format'>> &
  (
    | { readonly repo: string; readonly name?: undefined }
    | { readonly repo?: undefined; readonly name: string; readonly mayReplace?: boolean }
  );

/** How a model is placed. */
export interface PlaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when another process holds the name, with its number if known. */
  readonly onWait?: (pid: number | undefined) => void;
  /**
   * Called under the lock when a model of the same repository exists: whether it is already the right one, so nothing
   * needs to be made.
   */
  readonly isCurrent?: (origin: Origin) => boolean;
}

/** Makes an artifact at `artifact`; `directory` is for other files, and is removed. */
export type Build = (staging: Pick<Staging, 'directory' | 'artifact'>) => Promise<void>;

/** The models of one directory, which processes share. */
export interface Store {
  /** Absolute. */
  readonly directory: string;
  /** All models, by name. Errors: those of `listModels`. */
  list(): Promise<StoredModel[]>;
  /** The model of that name, as `findStoredModel` has it. */
  find(id: string): Promise<StoredModel | undefined>;
  /** The origin of a model; undefined for a file, and for a manifest without it. */
  originOf(model: StoredModel): Promise<Origin | undefined>;
  /**
   * Has a model made and moves it into place whole; it replaces an older one of the same repository. One process does
   * it at a time; the others wait. Nothing is made for a taken name. Errors: `name_invalid`, `name_taken`, those of
   * `build`, of the artifact and of writing files; the reason of the signal.
   */
  place(model: NewStoredModel, build: Build, options?: PlaceOptions): Promise<StoredModel>;
  /**
   * Removes a model; undefined if no model has that name. A process that has it open keeps it. Errors: those of writing
   * files.
   */
  remove(id: string): Promise<StoredModel | undefined>;
  /**
   * A model under another name, sharing files where the file system can. Errors: `name_invalid`, `name_taken`, those of
   * files.
   */
  copy(from: StoredModel, to: string, options?: CopyOptions): Promise<StoredModel>;
  /** Removes remains of dead processes, and reports it. */
  sweep(): Promise<Swept[]>;
}

/** The store in `modelsDir`, which is made when something is put there. */
export function openStore(modelsDir: string): Store {
  const directory = resolve(modelsDir);
  return {
    directory,
    list: () => listModels(directory),
    find: (id) => findStoredModel(directory, id),
    originOf: async ({ path, isFile }) => (isFile ? undefined : readOrigin(path)),
    place: (model, build, options = {}) => placeModel(directory, model, build, options),
    async remove(id) {
      const found = await findStoredModel(directory, id);
      if (found !== undefined) await removeModel(directory, found);
      return found;
    },
    copy: (from, to, options) => copyModel(directory, from, to, options),
    sweep: () => sweepStaging(directory),
  };
}

async function placeModel(
  modelsDir: string,
  model: NewStoredModel,
  build: Build,
  { signal, onWait, isCurrent }: PlaceOptions,
): Promise<StoredModel> {
  const quant = model.isAskedQuant === true ? model.quant : undefined;
  const id = model.repo ?? model.name;
  const name = directoryNameOf(id, quant);
  await makeDirectory(modelsDir).catch(throwFileError('write', modelsDir));
  await access(modelsDir, constants.W_OK).catch(throwFileError('write', modelsDir));
  await using _ = await waitForLock(placeLock(modelsDir, name), { signal, ...(onWait && { onWait }) }).catch(
    throwFileError('write', modelsDir),
  );
  const old = await checkPlace(modelsDir, name, model);
  if (old !== undefined && isCurrent?.(old) === true) return await placed(modelsDir, name);
  await using staging = await openStaging(modelsDir);
  await build(staging);
  signal?.throwIfAborted();
  const { isAskedQuant, ...rest } = model;
  const source = toSource({ ...rest, ...(isAskedQuant === true && { isAskedQuant }) });
  await amendManifest(staging.artifact, { id: quant === undefined ? id : `${id}:${quant.toUpperCase()}`, source });
  // An artifact that would be refused later is not put in place.
  await (await openArtifact(staging.artifact))[Symbol.asyncDispose]();
  signal?.throwIfAborted();
  await publish(staging, modelsDir, name);
  return await placed(modelsDir, name);
}

/** The origin of the existing model that may be replaced. Errors: `name_taken`. */
async function checkPlace(modelsDir: string, name: string, model: NewStoredModel): Promise<Origin | undefined> {
  const names = await readdir(modelsDir).catch(throwFileError('read', modelsDir));
  const other = names.find((each) => each !== name && each.toLowerCase() === name.toLowerCase());
  const asked = model.repo ?? model.name;
  if (other !== undefined) {
    throw taken(asked, name, `the store has ${other}, which differs only in upper and lower case`);
  }
  const path = join(modelsDir, name);
  if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
  const origin = await readOrigin(path);
  if (origin === undefined) throw taken(asked, name, 'what is there is no model');
  if (model.repo === undefined) {
    if (model.mayReplace === true) return origin;
    throw taken(
      asked,
      name,
      origin.repo === undefined ? 'a model of that name is there' : `${origin.repo} has that name there`,
    );
  }
  if (origin.repo === model.repo) return origin;
  const why =
    origin.repo === undefined ? 'a model that is not from a hub' : `${origin.repo}, which has the same name there`;
  throw taken(asked, name, `${why} is there`);
}

function taken(asked: string, name: string, why: string): AppError {
  if (asked === name) {
    const same = `${name} cannot be put into the models directory: ${why}; remove it first, or choose another name`;
    return new AppError('name_taken', same, { name });
  }
  const message = `${asked} would be kept as ${name} in the models directory, and ${why}; remove or rename that first, or choose another models directory (--models-dir)`;
  return new AppError('name_taken', message, { name });
}

async function placed(modelsDir: string, name: string): Promise<StoredModel> {
  const found = await findStoredModel(modelsDir, name);
  if (found !== undefined) return found;
  throw new AppError('name_taken', `${name} was removed from ${modelsDir} when it had just been put there`, { name });
}

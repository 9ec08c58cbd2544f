import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { artifactPlace, importGguf, type ImportOptions } from '../convert/index.js';
import type { ImportMode } from './engine-options.js';
import { unsignedFile } from '../signing/index.js';
import { findModel, type FoundModel } from './find-model.js';
import { findOrPull, type PullOnUse } from './find-or-pull.js';

/** Where models are looked for, how one in a file is imported, and how one that is not here is pulled. */
export interface LocateOptions extends Omit<ImportOptions, 'file'>, Pick<PullOnUse, 'puller' | 'onEvent'> {
  /** Undefined: only paths lead anywhere. */
  readonly modelsDir: string | undefined;
  /** Default: `cache`. */
  readonly importGguf?: ImportMode | undefined;
  /** Only signed models will load. A file, which cannot carry a signature, is refused before it is imported. */
  readonly requireSigned?: boolean | undefined;
}

/**
 * The artifact that `model` names, by `toArtifactDirectory`; the file itself if it is packed into memory. Errors: those
 * of `findOrPull`, those of `importGguf`, `signature_missing`.
 */
export async function locateModel(model: string, options: LocateOptions): Promise<string> {
  const { modelsDir, importGguf: mode, requireSigned, puller, onEvent, ...how } = options;
  const { signal, onProgress } = how;
  const found = await findOrPull(model, modelsDir, { puller, onEvent, signal, onProgress });
  return toArtifactDirectory(found, async (file) => {
    if (requireSigned === true) throw unsignedFile(file);
    return mode === 'memory' ? file : importGguf({ ...how, file });
  });
}

/** The same without an import: where a file's artifact is, or would be. Errors: those of `findModel` and of hashing. */
export async function locateWithoutImport(model: string, options: LocateOptions): Promise<string> {
  const { modelsDir, importGguf: mode, requireSigned: _, ...how } = options;
  return toArtifactDirectory(await findModel(model, modelsDir), async (file) =>
    mode === 'memory' ? file : artifactPlace({ ...how, file }),
  );
}

/**
 * The directory of a model's artifact, which `toArtifact` makes of a file. It is the real path: two names of one
 * directory are one model. Errors: those of `toArtifact`.
 */
export async function toArtifactDirectory(
  { path, isFile }: FoundModel,
  toArtifact: (file: string) => Promise<string>,
): Promise<string> {
  const directory = isFile ? await toArtifact(path) : path;
  // If the directory vanished in between, opening it reports the error.
  return realpath(directory).catch(() => resolve(directory));
}

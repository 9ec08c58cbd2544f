import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importGguf, type ImportOptions } from '../convert/index.js';
import { findModel, type FoundModel } from './find-model.js';

/** Where models are looked for, and how one in a file is imported. */
export interface LocateOptions extends Omit<ImportOptions, 'file'> {
  /** Undefined: only paths lead anywhere. */
  readonly modelsDir: string | undefined;
  /** What becomes of a file; default `importGguf`. */
  readonly toArtifact?: (options: ImportOptions) => Promise<string>;
}

/** The artifact of what `model` means, as `toArtifactDirectory` has it. Errors: those of `findModel`, those of `importGguf`. */
export async function locateModel(model: string, options: LocateOptions): Promise<string> {
  const { modelsDir, toArtifact = importGguf, ...how } = options;
  return toArtifactDirectory(await findModel(model, modelsDir), (file) => toArtifact({ ...how, file }));
}

/**
 * The directory of a model's artifact, which `toArtifact` makes of a file: the real path, so that two names of one directory
 * are one model. Errors: those of `toArtifact`.
 */
export async function toArtifactDirectory(
  { path, isFile }: FoundModel,
  toArtifact: (file: string) => Promise<string>,
): Promise<string> {
  const directory = isFile ? await toArtifact(path) : path;
  // What went meanwhile is for whoever opens it to name.
  return realpath(directory).catch(() => resolve(directory));
}

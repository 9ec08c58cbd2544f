import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasErrorCode, locate, throwFileError } from '../base/index.js';
import { DEMO, describeArtifact, findStoredModel, listModels, type StoredModel } from '../store/index.js';
import { notFound } from './not-found.js';

/** Where the demo model's artifact is, which the build converts. Errors: `package_not_found`. */
export function demoDirectory(): string {
  return fileURLToPath(locate('dist/demo/'));
}

/** Where a named model lies: an artifact or a checkpoint in a directory, or a file. */
export interface FoundModel {
  readonly path: string;
  readonly isFile: boolean;
}

/** The named models: `demo` first, then those of `modelsDir`, if set. Errors: those of `listModels`. */
export async function listNamed(modelsDir: string | undefined): Promise<StoredModel[]> {
  const stored = modelsDir === undefined ? [] : await listModels(modelsDir);
  const demo = await describeArtifact(DEMO, demoDirectory());
  return [...(demo ? [demo] : []), ...stored.filter(({ name }) => name !== DEMO)];
}

/** The model of that name, which never becomes a path: it may come from a request. Errors: those of `listModels`. */
export async function findNamed(name: string, modelsDir: string | undefined): Promise<StoredModel | undefined> {
  if (name === DEMO || name === `${DEMO}:latest`) return describeArtifact(DEMO, demoDirectory());
  return modelsDir === undefined ? undefined : findStoredModel(modelsDir, name);
}

/**
 * Resolves `model` for a caller that may read files: `demo`, a path, a name, or a path within the models directory, in
 * this order. Errors: `artifact_not_found`, which names the request and the nearest name; those of reading files.
 */
export async function findModel(model: string, modelsDir: string | undefined): Promise<FoundModel> {
  if (model === DEMO) return { path: demoDirectory(), isFile: false };
  const found = (await look(model)) ?? (await findInside(model, modelsDir));
  if (found === undefined) throw await notFound(model, modelsDir);
  return { path: found.path, isFile: found.isFile };
}

async function findInside(model: string, modelsDir: string | undefined): Promise<FoundModel | undefined> {
  if (modelsDir === undefined || isAbsolute(model) || model === '') return undefined;
  const named = await findNamed(model, modelsDir);
  const leadsOutside = model.split(/[/\\]/).includes('..');
  return named ?? (leadsOutside ? undefined : look(join(modelsDir, model)));
}

/** Undefined when nothing is at `path`. */
async function look(path: string): Promise<FoundModel | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
    return throwFileError('read', path)(error);
  });
  return found && { path, isFile: !found.isDirectory() };
}

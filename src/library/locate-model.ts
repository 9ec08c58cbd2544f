import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, hasErrorCode, locate, nearestOf, throwFileError } from '../base/index.js';
import { findStoredModel, listModels, whyNotListed } from '../store/index.js';
import { importGguf, type ImportOptions } from '../convert/index.js';

/** Where the demo model's artifact is, which the build converts. Errors: `package_not_found`. */
export function demoDirectory(): string {
  return fileURLToPath(locate('dist/demo/'));
}

/** Names that are offered in the place of one that is not there. */
const MAX_NAMES = 3;

/** Where a model that somebody named lies: an artifact or a checkpoint in a directory, or a file. */
export interface FoundModel {
  readonly path: string;
  readonly isFile: boolean;
}

/** Where models are looked for, and how one in a file is imported. */
export interface LocateOptions extends Omit<ImportOptions, 'file'> {
  /** Undefined: only paths lead anywhere. */
  readonly modelsDir: string | undefined;
  /** What becomes of a file; default `importGguf`. */
  readonly toArtifact?: (options: ImportOptions) => Promise<string>;
}

/**
 * Where the artifact is; the real path, so that two names of one directory are one model.
 * Errors: those of `findModel`, those of `importGguf`.
 */
export async function locateModel(model: string, options: LocateOptions): Promise<string> {
  const { modelsDir, toArtifact = importGguf, ...how } = options;
  const found = await findModel(model, modelsDir);
  const path = found.isFile ? await toArtifact({ ...how, file: found.path }) : found.path;
  // What went meanwhile is for whoever opens it to name.
  return realpath(path).catch(() => resolve(path));
}

/**
 * What `model` names: `demo`, a path, or a model of the models directory, there as the server finds it.
 * Errors: `artifact_not_found`, which names what was asked for and what may have been meant; those of reading files.
 */
export async function findModel(model: string, modelsDir: string | undefined): Promise<FoundModel> {
  if (model === 'demo') return { path: demoDirectory(), isFile: false };
  const typed = await look(model);
  if (typed !== undefined) return typed;
  if (modelsDir !== undefined && !isAbsolute(model) && model !== '') {
    const isInside = !model.split(/[/\\]/).includes('..');
    const stored = (await findStoredModel(modelsDir, model)) ?? (isInside && (await look(join(modelsDir, model))));
    if (stored) return { path: stored.path, isFile: stored.isFile };
  }
  throw await notFound(model, modelsDir);
}

/** Undefined when nothing is at `path`. */
async function look(path: string): Promise<FoundModel | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
    return throwFileError('read', path)(error);
  });
  return found && { path, isFile: !found.isDirectory() };
}

async function notFound(model: string, modelsDir: string | undefined): Promise<AppError> {
  const isPath = isAbsolute(model) || /[/\\]/.test(model);
  const near = await nearNames(model, isPath, modelsDir);
  const meant = near.length === 0 ? '' : `. Did you mean ${near.join(' or ')}?`;
  const message = `${await whyNot(model, isPath, modelsDir)}${meant}`;
  return new AppError('artifact_not_found', message, { model });
}

async function whyNot(model: string, isPath: boolean, modelsDir: string | undefined): Promise<string> {
  const isLink = await lstat(model).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (isLink) return `there is no model at ${model}: it is a link to a place where nothing is`;
  if (isPath) return `there is no model ${model}: no file and no directory is at this path`;
  const why = modelsDir === undefined ? undefined : await whyNotListed(modelsDir);
  const store =
    modelsDir === undefined
      ? 'there is no models directory, since there is no home (pass --models-dir, or `modelsDir` in the library)'
      : `none in the models directory ${modelsDir}${why === undefined ? '' : `, which cannot be listed: ${why}`}`;
  return `there is no model ${JSON.stringify(model)}: no file or directory of that name is here, and ${store}`;
}

/** Names in the models directory, and beside a path that was typed, that are nearly the one that is not there. */
async function nearNames(model: string, isPath: boolean, modelsDir: string | undefined): Promise<string[]> {
  const stored = modelsDir === undefined ? [] : await listModels(modelsDir).catch(() => []);
  const names = new Map(['demo', ...stored.map(({ name }) => name)].map((name) => [name, name]));
  if (isPath) {
    const folder = dirname(model);
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() || /\.gguf$/i.test(entry.name)) names.set(entry.name, join(folder, entry.name));
    }
  }
  // What is typed is not there, even if a link of that name is.
  names.delete(basename(model));
  const candidates = new Map([...names].map(([name, shown]) => [withoutExtension(name), shown]));
  // A repository's id lies in a models directory with an underscore.
  const words = new Set([basename(model), model.replaceAll('/', '_')]);
  const near = [...words].flatMap((word) => nearestOf(withoutExtension(word), [...candidates.keys()], MAX_NAMES));
  return [...new Set(near)].slice(0, MAX_NAMES).map((name) => candidates.get(name) ?? name);
}

function withoutExtension(name: string): string {
  return name.toLowerCase().replace(/\.gguf$/, '');
}

// The directory in which users keep their models: artifacts, and GGUF files. Nothing is ever written there.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPartName } from '../weights/index.js';
import { fileErrorReason, findHome, hasErrorCode, throwFileError } from '../base/index.js';

/** What earlier versions, conversions and locks keep beside the models. */
const INTERNAL = /^\.|\.partial-[0-9a-f]{12}$|\.lock$|^gguf-[0-9a-f]{64}-/;
const EXTENSION = /\.gguf$/i;
/** What makes a directory an artifact. */
const MANIFEST = 'manifest.json';

/** A model in a models directory: an artifact's directory, or a GGUF file. */
export interface StoredModel {
  readonly name: string;
  readonly path: string;
  readonly isFile: boolean;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changedMs: number;
}

/** What has the name of a model; `changedMs` is undefined where it cannot be read. */
export type StoredEntry = Omit<StoredModel, 'changedMs'> & { readonly changedMs: number | undefined };

/** The models in `modelsDir`, by name; one that cannot be listed has none. Errors: `too_many_open_files`, `io_failed`. */
export async function listModels(modelsDir: string): Promise<StoredModel[]> {
  return (await listEntries(modelsDir)).filter(isReadable);
}

/** The same, and what has the name of a model and cannot be read. Errors: as `listModels`. */
export async function listEntries(modelsDir: string): Promise<StoredEntry[]> {
  const found = await Promise.all((await modelNames(modelsDir)).map(async (name) => inspect(modelsDir, name)));
  return found.flatMap((entry) => entry ?? []);
}

/**
 * The model that `id` names: as it is, with the slash of a repository id as an underscore, or without `.gguf`, which may
 * be written in any case; a file in parts without the number of one too. Names may come from requests, so none is made into a path. Errors: as `listModels`.
 */
export async function findStoredModel(modelsDir: string, id: string): Promise<StoredModel | undefined> {
  const ids = [...new Set([id, id.replaceAll('/', '_')])];
  const names = await modelNames(modelsDir);
  const spellings = [
    ...ids.map((each) => names.find((name) => name === each)),
    ...ids.map((each) => names.find((name) => isGguf(name) && stemOf(name) === stemOf(each))),
  ];
  for (const name of spellings) {
    const model = name === undefined ? undefined : await inspect(modelsDir, name);
    if (model !== undefined && isReadable(model)) return model;
  }
  return undefined;
}

/** The artifact in the directory `path`, by another name; undefined when there is none that can be read. */
export async function describeArtifact(name: string, path: string): Promise<StoredModel | undefined> {
  const manifest = await stat(join(path, MANIFEST)).catch(() => undefined);
  return manifest && { name, path, isFile: false, changedMs: manifest.mtimeMs };
}

/** Where models are kept when nobody says; undefined where there is no home. */
export function defaultModelsDir(): string | undefined {
  const home = findHome();
  return home === undefined ? undefined : join(home, '.troupe', 'models');
}

/** Why a models directory cannot be listed; undefined when it can. */
export async function whyNotListed(modelsDir: string): Promise<string | undefined> {
  return readdir(modelsDir).then(
    () => undefined,
    (error: unknown) => (hasErrorCode(error, 'ENOENT') ? 'it is not there' : fileErrorReason(error)),
  );
}

function isGguf(name: string): boolean {
  return EXTENSION.test(name);
}

/** Whether a file of that name is a whole model or stands for its other parts. */
function isFirstPart(name: string): boolean {
  return (readPartName(name)?.number ?? 1) === 1;
}

function stemOf(name: string): string {
  return readPartName(name)?.stem ?? name.replace(EXTENSION, '');
}

/** Names that models may have, sorted. */
async function modelNames(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return [];
    return throwFileError('read', modelsDir)(error);
  });
  return entries
    .filter(({ name }) => !INTERNAL.test(name) && isFirstPart(name))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink() || isGguf(entry.name))
    .map(({ name }) => name)
    .toSorted();
}

/** Undefined for what is no model: a file of another kind, a directory without a manifest. */
async function inspect(modelsDir: string, name: string): Promise<StoredEntry | undefined> {
  const path = join(modelsDir, name);
  const found = await stat(path).catch(() => undefined);
  // A link to nowhere, for one.
  if (found === undefined) return { name, path, isFile: isGguf(name), changedMs: undefined };
  if (found.isFile()) return isGguf(name) ? { name, path, isFile: true, changedMs: found.mtimeMs } : undefined;
  if (!found.isDirectory()) return undefined;
  return stat(join(path, MANIFEST)).then(
    ({ mtimeMs }) => ({ name, path, isFile: false, changedMs: mtimeMs }),
    (error: unknown) =>
      hasErrorCode(error, 'EACCES') ? { name, path, isFile: false, changedMs: undefined } : undefined,
  );
}

function isReadable(entry: StoredEntry): entry is StoredModel {
  return entry.changedMs !== undefined;
}

// The directory in which users keep their models: artifacts, and GGUF files. Nothing is ever written there.
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileErrorReason, hasErrorCode, throwFileError } from '../base/index.js';

/** What earlier versions, conversions and locks keep beside the models. */
const INTERNAL = /^\.|\.partial-[0-9a-f]{12}$|\.lock$|^gguf-[0-9a-f]{64}-/;
const EXTENSION = /\.gguf$/i;

/** A model in a models directory: an artifact's directory, or a GGUF file. */
export interface StoredModel {
  readonly name: string;
  readonly path: string;
  readonly isFile: boolean;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changedMs: number;
}

/** Names in `modelsDir` that models may have, sorted; one that cannot be listed has none. Errors: as `listModels`. */
export async function modelNames(modelsDir: string): Promise<string[]> {
  return (await readEntries(modelsDir)).map(({ name }) => name);
}

/** The models in `modelsDir`, by name; one that cannot be listed has none. Errors: `too_many_open_files`, `io_failed`. */
export async function listModels(modelsDir: string): Promise<StoredModel[]> {
  const found = await Promise.all((await modelNames(modelsDir)).map(async (name) => describe(modelsDir, name)));
  return found.flatMap((model) => model ?? []);
}

/**
 * The model that `id` names: as it is, with the slash of a repository id as an underscore, or without `.gguf`, which may
 * be written in any case. Names may come from requests, so none is made into a path. Errors: as `listModels`.
 */
export async function findStoredModel(modelsDir: string, id: string): Promise<StoredModel | undefined> {
  const ids = [...new Set([id, id.replaceAll('/', '_')])];
  const names = await modelNames(modelsDir);
  const spellings = [
    ...ids.map((each) => names.find((name) => name === each)),
    ...ids.map((each) => names.find((name) => isGguf(name) && stemOf(name) === stemOf(each))),
  ];
  for (const name of spellings) {
    const model = name === undefined ? undefined : await describe(modelsDir, name);
    if (model !== undefined) return model;
  }
  return undefined;
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

function stemOf(name: string): string {
  return name.replace(EXTENSION, '');
}

/** Entries whose names models may have. */
async function readEntries(modelsDir: string): Promise<Dirent[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return [];
    return throwFileError('read', modelsDir)(error);
  });
  return entries
    .filter(({ name }) => !INTERNAL.test(name))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink() || isGguf(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Undefined for what is no model: a link to nowhere, a file of another kind, a directory without a manifest. */
async function describe(modelsDir: string, name: string): Promise<StoredModel | undefined> {
  const path = join(modelsDir, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true && isGguf(name)) return { name, path, isFile: true, changedMs: found.mtimeMs };
  if (found?.isDirectory() !== true) return undefined;
  const manifest = await stat(join(path, 'manifest.json')).catch(() => undefined);
  return manifest && { name, path, isFile: false, changedMs: manifest.mtimeMs };
}

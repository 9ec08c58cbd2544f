// The directory of a user's models: artifacts, and GGUF files.
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPartName } from '../weights/index.js';
import { fileErrorReason, findHome, hasErrorCode, throwFileError } from '../base/index.js';
import { readKnownName } from './known-name.js';
import { directoryNameOf, formatModelId, isInternal, parseModelId, type ModelId } from './model-names.js';
import { MANIFEST, publicId, readOrigin, type Origin } from './origin.js';
import { isStaging } from './staging.js';

const EXTENSION = /\.gguf$/i;
/** Characters of a commit that name it. */
const MIN_COMMIT = 7;

/** A model in a models directory: an artifact's directory, or a GGUF file. */
export interface StoredModel {
  readonly name: string;
  readonly path: string;
  readonly isFile: boolean;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changedMs: number;
}

/** An entry with the name of a model; `changedMs` is undefined if it cannot be read. */
export type StoredEntry = Omit<StoredModel, 'changedMs'> & { readonly changedMs: number | undefined };

/** The models in `modelsDir`, by name; one that cannot be listed has none. Errors: `too_many_open_files`, `io_failed`. */
export async function listModels(modelsDir: string): Promise<StoredModel[]> {
  return (await listEntries(modelsDir)).filter(isReadable);
}

/** The same, and unreadable entries with the name of a model. Errors: as `listModels`. */
export async function listEntries(modelsDir: string): Promise<StoredEntry[]> {
  const found = await Promise.all((await modelNames(modelsDir)).map(async (name) => inspect(modelsDir, name)));
  return found.flatMap((entry) => entry ?? []);
}

/**
 * The model that `id` names: `org/name`, `org/name:quant`, `org/name@revision`, or the name of its directory or file. A
 * name may be in any case, with or without `.gguf`; `:latest` behind a name is ignored. A file in parts is also found
 * without the number of one. Names may come from requests, so none is made into a path. One model is never taken for
 * another whose directory would have the same name; a copy is found by its own. A familiar short name (`llama3.2`)
 * leads to the model of its repository, unless a model has that name. Errors: as `listModels`.
 */
export async function findStoredModel(modelsDir: string, id: string): Promise<StoredModel | undefined> {
  const found = await findByOwnName(modelsDir, id);
  const known = found === undefined ? readKnownName(id) : undefined;
  return known === undefined ? found : findByOwnName(modelsDir, formatModelId({ ...known, revision: undefined }));
}

async function findByOwnName(modelsDir: string, id: string): Promise<StoredModel | undefined> {
  const entries = await readNames(modelsDir);
  const found = await findAmong(modelsDir, entries.filter(mayBeModel).map(nameOf).toSorted(), id);
  if (found !== undefined || !entries.some((entry) => isStaging(entry.name))) return found;
  // During a replacement a model is missing for a moment, which has passed now.
  return findAmong(modelsDir, await modelNames(modelsDir), id);
}

async function findAmong(modelsDir: string, names: readonly string[], id: string): Promise<StoredModel | undefined> {
  const parsed = parseModelId(id);
  for (const { name, fits } of candidates(names, id, parsed)) {
    const model = await inspect(modelsDir, name);
    if (model === undefined || !isReadable(model)) continue;
    const origin = model.isFile || parsed === undefined ? undefined : await readOrigin(model.path);
    if (isRepoMeant(name, parsed, origin) && fits(origin)) return model;
  }
  return undefined;
}

/** The possible meanings of `id`, in order, each with its required origin. */
function* candidates(
  names: readonly string[],
  id: string,
  parsed: ModelId | undefined,
): Generator<{ name: string; fits: (origin: Origin | undefined) => boolean }> {
  const spellings = new Set([id, id.replaceAll('/', '_')]);
  for (const spelling of spellings) if (names.includes(spelling)) yield { name: spelling, fits: () => true };
  const stems = new Set(
    [...spellings, ...(parsed === undefined ? [] : [parsed.name.replaceAll('/', '_')])].map(stemOf),
  );
  if (parsed === undefined || (parsed.quant === undefined && parsed.revision === undefined)) {
    const file = [...stems].map((stem) => names.find((name) => isGguf(name) && stemOf(name) === stem));
    for (const name of file) if (name !== undefined) yield { name, fits: () => true };
  }
  if (parsed === undefined) return;
  const { quant, revision } = parsed;
  const fits = (origin: Origin | undefined): boolean => revision === undefined || isRevision(origin, revision);
  const asked = whole(parsed.name, quant);
  if (names.includes(asked)) yield { name: asked, fits };
  const plain = whole(parsed.name, undefined);
  // The quant that a pull took without being asked may be the one that is asked for now.
  if (quant !== undefined && names.includes(plain)) {
    yield { name: plain, fits: (origin) => origin?.quant?.toUpperCase() === quant && fits(origin) };
  }
}

/** A directory's name; '' if it can have none. */
function whole(name: string, quant: string | undefined): string {
  try {
    return directoryNameOf(name, quant);
  } catch {
    return '';
  }
}

/** A model under another name than that of its repository is a copy, which has only this name. */
function isRepoMeant(name: string, parsed: ModelId | undefined, origin: Origin | undefined): boolean {
  if (parsed?.repo === undefined || origin?.repo === undefined) return true;
  return origin.repo === parsed.repo || publicId(name, origin) === name;
}

function isRevision(origin: Origin | undefined, revision: string): boolean {
  if (origin?.ref === revision) return true;
  return revision.length >= MIN_COMMIT && origin?.revision?.startsWith(revision.toLowerCase()) === true;
}

/** The artifact in the directory `path`, by another name; undefined if there is no readable one. */
export async function describeArtifact(name: string, path: string): Promise<StoredModel | undefined> {
  const manifest = await stat(join(path, MANIFEST)).catch(() => undefined);
  return manifest && { name, path, isFile: false, changedMs: manifest.mtimeMs };
}

/** The default directory of models; undefined without a home. */
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

/** Whether a file of that name is a whole model or the first of its parts. */
export function isFirstPart(name: string): boolean {
  return (readPartName(name)?.number ?? 1) === 1;
}

/** The name of a model's file without `.gguf` and the number of its part. */
export function stemOf(name: string): string {
  return readPartName(name)?.stem ?? name.replace(EXTENSION, '');
}

/** Names that models may have, sorted. */
async function modelNames(modelsDir: string): Promise<string[]> {
  return (await readNames(modelsDir)).filter(mayBeModel).map(nameOf).toSorted();
}

async function readNames(modelsDir: string): Promise<Dirent[]> {
  return readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return [];
    return throwFileError('read', modelsDir)(error);
  });
}

function mayBeModel(entry: Dirent): boolean {
  const { name } = entry;
  if (isInternal(name) || !isFirstPart(name)) return false;
  return entry.isDirectory() || entry.isSymbolicLink() || isGguf(name);
}

function nameOf({ name }: Dirent): string {
  return name;
}

/** Undefined for other entries: a file of another kind, a directory without a manifest. */
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

/** Whether an entry is a model: it can be read. */
export function isReadable(entry: StoredEntry): entry is StoredModel {
  return entry.changedMs !== undefined;
}

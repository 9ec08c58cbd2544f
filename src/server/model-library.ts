/**
 * The models that requests may name: `demo`, and what lies in the models directory. Names come from requests, so none is
 * ever made into a path: each is looked for in the directory's own list.
 */

import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_MODEL_ID, type ModelEntry } from '../api/index.js';
import { AppError, systemClock, waitFor, type Clock } from '../base/index.js';
import type { ModelLease, OpenModel } from '../completion/index.js';
import { importGguf } from '../convert/index.js';

/** The name of the model that is always there. */
const DEMO = 'demo';
/** What conversions and imports keep beside the models. */
const INTERNAL = /^\.|\.partial-[0-9a-f]{12}$|\.lock$|^gguf-[0-9a-f]{64}-/;
const OWNER = 'troupe';
/** How long the answer to where a name leads is good. Looking takes a dozen turns of the disk's threads, and a crowd asks at once. */
const FRESH_MS = 1_000;

/** Where models are and how they are opened. */
export interface ModelLibraryOptions {
  readonly modelsDir: string;
  readonly demoDirectory: string;
  readonly acquire: (directory: string, signal?: AbortSignal) => Promise<ModelLease<OpenModel>>;
  readonly clock?: Clock;
}

/** The models of a server. */
export interface ModelLibrary extends AsyncDisposable {
  /** All of them, `demo` first. */
  list(): Promise<ModelEntry[]>;
  /** The one of that name. Errors: `model_not_found`. */
  find(id: string): Promise<ModelEntry>;
  /**
   * The right to use a model, which is loaded if it is not there; a GGUF file is converted first, once for all who ask.
   * Errors: `model_not_found`, those of conversion and of the load, the reason of the signal.
   */
  open(id: string, signal: AbortSignal): Promise<ModelLease<OpenModel>>;
}

/** A model as it lies on the disk. */
interface Shelved {
  readonly entry: ModelEntry;
  readonly path: string;
  readonly isFile: boolean;
}

/** Where a name leads: the directory of an artifact, without links. */
interface Place {
  readonly directory: Promise<string>;
  /** On the library's clock; for ever while it is looked for. */
  untilMs: number;
}

/** The models of one directory, and the demo. Disposing of it ends conversions. */
export function createModelLibrary(options: ModelLibraryOptions): ModelLibrary {
  const { modelsDir, demoDirectory, acquire, clock = systemClock } = options;
  /** By names that lead somewhere: as many as the models have, but for those that are being looked for. */
  const places = new Map<string, Place>();
  const conversions = new Map<string, Promise<string>>();
  const closing = new AbortController();

  const shelve = async (id: string, path: string, isFile: boolean): Promise<Shelved | undefined> => {
    const { mtimeMs } = (await stat(isFile ? path : join(path, 'manifest.json')).catch(() => undefined)) ?? {};
    if (mtimeMs === undefined) return undefined;
    const entry = { id, object: 'model' as const, created: Math.floor(mtimeMs / 1000), owned_by: OWNER };
    return { entry, path, isFile };
  };
  const demo = (): Promise<Shelved | undefined> => shelve(DEMO, demoDirectory, false);

  const search = async (id: string): Promise<Shelved> => {
    const names = id.length > MAX_MODEL_ID ? [] : spellings(id);
    if (names.includes(DEMO)) return (await demo()) ?? notFound(id);
    const found = (await readModels(modelsDir)).find(({ name }) => names.includes(name));
    return (found && (await shelve(found.name, join(modelsDir, found.name), isGguf(found.name)))) ?? notFound(id);
  };

  /** Goes on when whoever asked first has left: others wait for it, or will ask. */
  const convert = (file: string): Promise<string> => {
    const known = conversions.get(file);
    if (known !== undefined) return known;
    const conversion = importGguf({ file, modelsDir, signal: closing.signal });
    conversions.set(file, conversion);
    const forget = (): void => void conversions.delete(file);
    conversion.then(forget, forget);
    return conversion;
  };

  const locate = async (id: string): Promise<string> => {
    const { path, isFile } = await search(id);
    return realpath(isFile ? await convert(path) : path);
  };

  /** The artifact of the model of that name: one search for all who ask meanwhile, and soon after. */
  const find = (id: string): Promise<string> => {
    const known = places.get(id);
    if (known !== undefined && clock.nowMs() < known.untilMs) return known.directory;
    const place: Place = { directory: locate(id), untilMs: Infinity };
    places.set(id, place);
    place.directory.then(
      () => (place.untilMs = clock.nowMs() + FRESH_MS),
      () => places.delete(id),
    );
    return place.directory;
  };

  return {
    async list() {
      const models = (await readModels(modelsDir)).filter(({ name }) => name !== DEMO);
      const shelved = models.map(({ name }) => shelve(name, join(modelsDir, name), isGguf(name)));
      return (await Promise.all([demo(), ...shelved])).flatMap((model) => model?.entry ?? []);
    },
    find: async (id) => (await search(id)).entry,
    async open(id, signal) {
      return acquire(await waitFor(find(id), 'the search for a model', { signal }), signal);
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new AppError('engine_closed', 'the server was stopped'));
      await Promise.allSettled(conversions.values());
    },
  };
}

/** The names under which a model of that id may lie: as it is, with the slash of a repository id, or the end of a file, replaced. */
function spellings(id: string): string[] {
  const name = id.replaceAll('/', '_');
  return [id, name, `${id}.gguf`, `${name}.gguf`];
}

function isGguf(name: string): boolean {
  return name.endsWith('.gguf');
}

/** Entries that may be models; a directory that is not there has none. */
async function readModels(modelsDir: string): Promise<Dirent[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !INTERNAL.test(entry.name))
    .filter((entry) => entry.isSymbolicLink() || (isGguf(entry.name) ? entry.isFile() : entry.isDirectory()))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function notFound(id: string): never {
  const shown = /^[\w.:@/-]{1,96}$/.test(id) ? `"${id}"` : `of that name of ${id.length} characters`;
  const message = `there is no model ${shown}; GET /v1/models lists those that there are`;
  throw new AppError('model_not_found', message, { param: 'model' });
}

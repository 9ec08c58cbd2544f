/**
 * The models that requests may name, for a crowd that asks at once: each name is looked for once in a while, each file
 * converted once for all.
 */

import { forgetImport, importGguf, type OnNotice, type OnProgress } from '../convert/index.js';
import { AppError, hasErrorCode, systemClock, waitFor, type Clock, type LogEntry } from '../base/index.js';
import type { ModelLease, OpenModel } from '../pool/index.js';
import { unsignedFile } from '../signing/index.js';
import {
  createFactsReader,
  DEMO,
  openStore,
  suggestKnownName,
  type ModelFacts,
  type StoredModel,
} from '../store/index.js';
import type { OnPullEvent, Pulled, Puller } from '../pull/index.js';
import { findNamed, listNamed } from './find-model.js';
import { toReference } from './find-or-pull.js';
import type { ImportMode } from './engine-options.js';
import { toArtifactDirectory } from './locate-model.js';
import { signatureNote } from './signature-note.js';

/** Longest name that is looked up: a repository id of a hub has at most 96 characters, a file name 255 bytes. */
const MAX_NAME = 512;
/** How long the answer to where a name leads is good. Looking takes a dozen turns of the disk's threads, and a crowd asks at once. */
const FRESH_MS = 1_000;

/** Where models are and how they are opened. */
export interface ModelLibraryOptions {
  /** Undefined if there is none: then only the demo exists. */
  readonly modelsDir: string | undefined;
  /** Where converted models are kept; default: the user's cache directory. */
  readonly cacheDir?: string | undefined;
  /** How GGUF files are loaded. Default: `cache`. */
  readonly importGguf?: ImportMode | undefined;
  /** Refuse GGUF files, which can carry no signature. */
  readonly requireSigned?: boolean | undefined;
  /** Pulls models that requests name and that are not there; undefined: none is. */
  readonly puller?: Puller | undefined;
  readonly acquire: (directory: string, signal?: AbortSignal) => Promise<ModelLease<OpenModel>>;
  /** Lets a model go when its last call ends. */
  readonly letGo: (directory: string) => void;
  /** How callers find the available models: the end of a sentence. */
  readonly howToList: string;
  readonly clock?: Clock;
  /** Called for slow conversions, and for notices of models. */
  readonly log?: (entry: LogEntry) => void;
}

/** A model, and its name for clients: the id of its repository with a requested quant, or its name. */
export interface NamedModel extends StoredModel {
  readonly id: string;
}

/** The models of a server. */
export interface ModelLibrary extends AsyncDisposable {
  /** All of them, `demo` first. */
  list(): Promise<NamedModel[]>;
  /** The one of that name; `NAME:latest` is `NAME`, as clients of Ollama write it. Errors: `model_not_found`. */
  find(id: string): Promise<NamedModel>;
  /** Tokens of prompt and completion together; undefined where the model was not opened under that name. */
  contextLength(id: string): number | undefined;
  /** The id under which the model is listed that was opened by that name: `NAME` for `NAME:latest`. */
  listedId(id: string): string;
  /** The facts of a model, without loading it. Errors: those of opening it. */
  describe(model: StoredModel, isVerbose?: boolean): Promise<ModelFacts>;
  /** The clients' name of the artifact in `directory`, which was opened by one of its names. */
  nameOf(directory: string): string | undefined;
  /**
   * The right to use a model, which is loaded if necessary; a GGUF file is converted first, once for all callers.
   * Errors: `model_not_found`, those of conversion and of the load, the reason of the signal.
   */
  open(id: string, signal: AbortSignal): Promise<ModelLease<OpenModel>>;
  /**
   * Pulls or updates the model of a repository of a hub. Several callers may ask for one at once, and a caller that
   * leaves stops nothing. Errors: `model_not_found` for an invalid id, or if pulling is off; those of `pullModel`.
   */
  pull(id: string, onEvent?: OnPullEvent): Promise<Pulled>;
  /** Unloads the model of that name when its last call ends, if it is loaded. Errors: `model_not_found`. */
  letGo(id: string): Promise<void>;
  /**
   * Unloads a model and removes its files, with the artifact of a GGUF file; calls under way end normally. Errors:
   * `model_not_found`, `invalid_value` for the demo, those of removing files.
   */
  remove(id: string): Promise<void>;
  /**
   * Copies a model to another name; it replaces a model of that name. Errors: `model_not_found`, `name_invalid`, those
   * of copying.
   */
  copy(from: string, to: string): Promise<void>;
}

/** Where a name leads: the directory of an artifact, without links. */
interface Place {
  readonly directory: Promise<string>;
  /** On the library's clock; for ever while it is looked for. */
  untilMs: number;
}

/** The models of one directory, and the demo. Disposing of it ends conversions. */
export function createModelLibrary(options: ModelLibraryOptions): ModelLibrary {
  const {
    modelsDir,
    cacheDir,
    importGguf: mode,
    requireSigned = false,
    acquire,
    letGo,
    howToList,
    puller,
    clock = systemClock,
    log = () => {},
  } = options;
  /** By valid names: as many as the models have, plus those of running searches. */
  const places = new Map<string, Place>();
  const conversions = new Map<string, Promise<string>>();
  const closing = new AbortController();
  /** Models whose notices were reported: once for each load. */
  const told = new WeakSet<OpenModel>();
  /** By names that were opened: the model of an earlier load may have had less memory. */
  const contextLengths = new Map<string, number>();
  /** By the same. */
  const listedIds = new Map<string, string>();
  const facts = createFactsReader();
  /** Names by directories: as many as models were opened. */
  const names = new Map<string, string>();

  const tellNotes = (id: string, model: OpenModel): void => {
    if (told.has(model)) return;
    told.add(model);
    // Said by the import where there was one.
    const importNote = mode === 'memory' ? model.importNote : undefined;
    // The demo is trusted as the package is.
    const signature = isDemo(id) ? undefined : signatureNote(model.signature);
    const notes = { context: model.contextNote, requantised: importNote, signature };
    for (const [notice, note] of Object.entries(notes)) {
      if (note !== undefined) log({ event: 'load', model: id, notice, text: note });
    }
  };

  const named = async (model: StoredModel): Promise<NamedModel> => ({ ...model, id: await facts.idOf(model) });

  const search = async (id: string): Promise<NamedModel> => {
    const found = id.length > MAX_NAME ? undefined : await findNamed(id, modelsDir);
    if (found === undefined) throw notFound(id, howToList, puller);
    return named(found);
  };

  const release = ({ id }: NamedModel): void => {
    // By opened names: this converts nothing.
    for (const [directory, opened] of names) if (opened === id) letGo(directory);
  };

  /** Goes on when the first caller has left: others wait for it, or will ask. */
  const convert = ({ name, path: file }: StoredModel): Promise<string> => {
    const known = conversions.get(file);
    if (known !== undefined) return known;
    const conversion = importGguf({ file, cacheDir, signal: closing.signal, ...createImportLog(name, log, clock) });
    conversions.set(file, conversion);
    const forget = (): void => void conversions.delete(file);
    conversion.then(forget, forget);
    return conversion;
  };

  /** Goes on when the first caller has left. */
  const pull: ModelLibrary['pull'] = async (id, onEvent) => {
    const reference = toReference(id);
    if (puller === undefined || reference === undefined) throw notFound(id, howToList, puller);
    const tell = createPullLog(id, log, clock);
    const pulled = await puller.pull(reference, {
      goesOn: true,
      onEvent: (event) => {
        tell(event);
        onEvent?.(event);
      },
    });
    if (pulled.outcome !== 'current')
      log({ event: 'pull', model: id, outcome: pulled.outcome, revision: pulled.revision });
    places.clear();
    return pulled;
  };

  const searchOrPull = async (id: string): Promise<NamedModel> => {
    return search(id).catch(async (error: unknown) => {
      if (!hasErrorCode(error, 'model_not_found') || puller === undefined || toReference(id) === undefined) throw error;
      await pull(id).catch((refusal: unknown) => {
        throw hasErrorCode(refusal, 'hub_offline') ? error : refusal;
      });
      return search(id);
    });
  };

  const locate = async (id: string): Promise<string> => {
    const model = await searchOrPull(id);
    const directory = await toArtifactDirectory(model, async (file) => {
      if (requireSigned) throw unsignedFile(file);
      return mode === 'memory' ? file : convert(model);
    });
    names.set(directory, model.id);
    return directory;
  };

  /** The artifact of the model of that name: one search for all concurrent callers, cached for a moment. */
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
    pull,
    list: async () => Promise.all((await listNamed(modelsDir)).map(named)),
    find: search,
    contextLength: (id) => contextLengths.get(id),
    listedId: (id) => listedIds.get(id) ?? id,
    describe: (model, isVerbose) => facts.read(model, isVerbose),
    nameOf: (directory) => names.get(directory),
    async letGo(id) {
      release(await search(id));
    },
    async remove(id) {
      const model = await search(id);
      if (modelsDir === undefined || model.name === DEMO) {
        throw new AppError('invalid_value', `${DEMO} comes with the package and cannot be removed`, { field: 'model' });
      }
      release(model);
      const forget = model.isFile ? await forgetImport(model.path, cacheDir) : undefined;
      await openStore(modelsDir).remove(model.name);
      await forget?.();
      places.clear();
    },
    async copy(from, to) {
      const model = await search(from);
      if (modelsDir === undefined) throw notFound(from, howToList);
      await openStore(modelsDir).copy(model, to, { mayReplace: true });
      places.clear();
    },
    async open(id, signal) {
      const directory = await waitFor(find(id), 'the search for a model', { signal });
      const lease = await acquire(directory, signal);
      listedIds.set(id, names.get(directory) ?? id);
      tellNotes(id, lease.model);
      contextLengths.set(id, lease.model.contextLength);
      return lease;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new AppError('engine_closed', 'the server was stopped'));
      await Promise.allSettled(conversions.values());
    },
  };
}

/** Whether `id` names the model of the package. */
function isDemo(id: string): boolean {
  return id === DEMO || id === `${DEMO}:latest`;
}

/** `puller`: if set, `id` may be a short name that it would pull. */
function notFound(id: string, howToList: string, puller?: Puller): AppError {
  const isName = /^[\w.:@/-]{1,96}$/.test(id);
  const shown = isName ? `"${id}"` : `of that name of ${id.length} characters`;
  const near = puller === undefined || !isName ? undefined : suggestKnownName(id);
  const suggestion = near === undefined ? '' : `; ${near}`;
  const details = { param: 'model', ...(isName && { model: id }) };
  return new AppError('model_not_found', `there is no model ${shown}; ${howToList}${suggestion}`, details);
}

/** A conversion that is done sooner is not worth a line. */
const SILENT_MS = 500;
/** Then one line in so long. */
const EVERY_MS = 5_000;

/** Writes to the log how far the conversion of `model` is, where it takes long, and what its user should know of it. */
export function createImportLog(
  model: string,
  log: (entry: LogEntry) => void,
  clock: Clock,
): { onProgress: OnProgress; onNotice: OnNotice } {
  let dueMs: number | undefined;
  return {
    onProgress({ phase, doneBytes, totalBytes }) {
      dueMs ??= clock.nowMs() + SILENT_MS;
      if (clock.nowMs() < dueMs) return;
      dueMs = clock.nowMs() + EVERY_MS;
      log({ event: 'import', model, phase, doneBytes, totalBytes });
    },
    onNotice: ({ kind, text }) => log({ event: 'import', model, notice: kind, text }),
  };
}

/** One line of progress in so long. */
const PULL_EVERY_MS = 5_000;

/** Writes to the log what happens to the pull of `model`: its plan, how far it is, what is tried again. */
function createPullLog(model: string, log: (entry: LogEntry) => void, clock: Clock): OnPullEvent {
  let dueMs = 0;
  return (event) => {
    switch (event.kind) {
      case 'plan': {
        const { downloadBytes, memoryBytes, fits } = event.estimate;
        log({ event: 'pull', model, revision: event.revision, quant: event.quant, downloadBytes, memoryBytes, fits });
        break;
      }
      case 'download':
      case 'convert': {
        if (clock.nowMs() < dueMs) break;
        dueMs = clock.nowMs() + PULL_EVERY_MS;
        log({ event: 'pull', model, phase: event.kind, doneBytes: event.doneBytes, totalBytes: event.totalBytes });
        break;
      }
      case 'retry':
        log({
          event: 'pull',
          model,
          retry: event.reason,
          file: event.file,
          attempt: event.attempt,
          waitMs: Math.round(event.waitMs),
        });
        break;
      case 'note':
        log({ event: 'pull', model, note: event.text });
        break;
      case 'notice':
        log({ event: 'pull', model, notice: event.notice.kind, text: event.notice.text });
        break;
      case 'wait':
        log({ event: 'pull', model, waitsForProcess: event.pid ?? null });
    }
  };
}

/**
 * The models that requests may name, for a crowd that asks at once: each name is looked for once in a while, each file
 * converted once for all.
 */

import { AppError, systemClock, waitFor, type Clock, type LogEntry } from '../../base/index.js';
import { forgetImport, importGguf } from '../../convert/index.js';
import {
  createFactsReader,
  DEMO,
  isReadable,
  openStore,
  type ModelFacts,
  type Store,
  type StoredModel,
} from '../../store/index.js';
import type { ModelHost } from '../model-host.js';
import type { OpenModel } from '../opening/open-model.js';
import { signatureNote } from '../opening/signature-note.js';
import type { ModelLease } from '../pool/pooled-model.js';
import type { OnPullEvent } from '../pull/pull-events.js';
import type { HubReference, Pulled } from '../pull/pull-model.js';
import type { Puller } from '../pull/puller.js';
import { findModel, isDemo, listNamed, requests, toReference } from '../resolve/find-model.js';
import { findOrPull, toArtifactDirectory, type ModelPlaces } from '../resolve/locate-model.js';
import { createImportLog, createPullLog } from './load-log.js';

/** How long the answer to where a name leads is good. Looking takes a dozen turns of the disk's threads, and a crowd asks at once. */
const FRESH_MS = 1_000;

/** Where models are and how they are opened. */
export interface ModelLibraryOptions {
  readonly host: LibraryHost;
  /** How callers find the available models: the end of a sentence. */
  readonly howToList: string;
  readonly clock?: Clock;
  /** Called for slow conversions, and for notices of models. */
  readonly log?: (entry: LogEntry) => void;
}

/** What a library needs of the host of its models. */
export type LibraryHost = ModelPlaces & Pick<ModelHost, 'acquire' | 'letGo'>;

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
  const { host, howToList, clock = systemClock, log = () => {} } = options;
  const { modelsDir, cacheDir, puller } = host;
  const policy = requests(howToList, puller !== undefined);
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
    const importNote = host.importGguf === 'memory' ? model.importNote : undefined;
    // The demo is trusted as the package is.
    const signature = isDemo(id) ? undefined : signatureNote(model.signature);
    const notes = { context: model.contextNote, layout: model.layoutNote, requantised: importNote, signature };
    for (const [notice, note] of Object.entries(notes)) {
      if (note !== undefined) log({ event: 'load', model: id, notice, text: note });
    }
  };

  const named = async (model: StoredModel): Promise<NamedModel> => ({ ...model, id: await facts.idOf(model) });

  const search = async (id: string): Promise<NamedModel> => named(await findModel(id, modelsDir, policy));

  const release = ({ id }: NamedModel): void => {
    // By opened names: this converts nothing.
    for (const [directory, opened] of names) if (opened === id) host.letGo(directory);
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
  const pullFrom = async (hub: Puller, id: string, reference: HubReference, onEvent?: OnPullEvent): Promise<Pulled> => {
    const tell = createPullLog(id, log, clock);
    const pulled = await hub.pull(reference, {
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

  const locate = async (id: string): Promise<string> => {
    const pull = puller && (async (reference: HubReference) => (await pullFrom(puller, id, reference)).model);
    const model = await named(await findOrPull(id, modelsDir, policy, pull));
    const directory = await toArtifactDirectory(model, host, async () => convert(model));
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
    async pull(id, onEvent) {
      const reference = toReference(id);
      if (puller === undefined || reference === undefined) throw await policy.notFound(id, modelsDir);
      return pullFrom(puller, id, reference, onEvent);
    },
    list: async () => Promise.all((await listNamed(modelsDir)).filter(isReadable).map(named)),
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
      await removeWithImport(openStore(modelsDir), model, cacheDir);
      places.clear();
    },
    async copy(from, to) {
      const model = await search(from);
      if (modelsDir === undefined) throw await policy.notFound(from, modelsDir);
      await openStore(modelsDir).copy(model, to, { mayReplace: true });
      places.clear();
    },
    async open(id, signal) {
      const directory = await waitFor(find(id), 'the search for a model', { signal });
      const lease = await host.acquire(directory, signal);
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

/**
 * Removes a model from its store, with the artifact that was made of a file; returns the bytes of that artifact.
 * Errors: those of removing files.
 */
export async function removeWithImport(
  store: Store,
  model: StoredModel,
  cacheDir: string | undefined,
): Promise<number> {
  const forget = model.isFile ? await forgetImport(model.path, cacheDir) : undefined;
  await store.remove(model.name);
  return (await forget?.()) ?? 0;
}

import { resolve } from 'node:path';
import { AppError, callback, checkOptions, hasErrorCode, toMemoryError, type OptionTable } from '../base/index.js';
import type { OnProgress, PooledModel, TreeNode } from '../pool/index.js';
import {
  listAvailable,
  type AvailableModel,
  locateModel,
  locateWithoutImport,
  openModelHost,
  readTemplate,
  templateName,
  type EngineOptions,
} from '../library/index.js';
import { callOptions, type CallOptions } from './call-options.js';
import { checkModelName } from './check-arguments.js';
import { createModel, type Model } from './model.js';

/** How a load is ended, and the callback for its progress. */
export interface LoadOptions extends CallOptions {
  /** Called many times a second while a model is pulled, a file is hashed and converted, and weights are read. What it throws rejects this load. */
  readonly onProgress?: OnProgress | null | undefined;
  /**
   * A chat template for this model instead of its own, as `template` of the engine names it. Loads that share a model have
   * the same one.
   */
  readonly template?: string | null | undefined;
}

/** What `load` takes. */
const loadOptions: OptionTable<LoadOptions> = { ...callOptions, onProgress: callback, template: templateName };

/** An engine: kernels made ready, and models that share one memory budget. */
export interface Engine extends AsyncDisposable {
  /**
   * Loads an artifact: `demo`, a directory, or a name in the models directory. A GGUF file is converted into the cache
   * directory once, under a digest of it. If no such name is here, `org/name` is the repository of a hub, also with
   * `@revision` and `:quant`, and is pulled into the models directory. A loaded model is shared. If there is no room,
   * models without a call are evicted, the least recently used first, and load again at their next call. Errors:
   * `artifact_not_found` and the artifact's other codes, those of its config and of conversion, `cache_unwritable`,
   * those of a pull (`hub_…`, `pull_…`), `out_of_memory`, `models_busy`, `engine_closed`. `signature_invalid`,
   * `signature_rollback`, and with `requireSigned` `signature_missing`, `signature_untrusted`. Those of reading a
   * template, and `invalid_option` when the model is loaded with another.
   */
  load(model: string, options?: LoadOptions): Promise<Model>;
  /**
   * Ends a model at once, and what is under way on it with `engine_closed`; settles when its memory is given back. False
   * when it is not loaded. What was returned by `load` stays good: its next call loads the model again.
   */
  unload(model: string): Promise<boolean>;
  /** The models that take memory now or are about to. */
  models(): PooledModel[];
  /**
   * What `load` could be given by name: `demo`, and the artifacts and GGUF files of the models directory, by name. Of each
   * only the head is read; one that cannot be read, or is none, says why. Errors: `invalid_option` when the directory
   * itself cannot be read, `too_many_open_files`.
   */
  available(): Promise<AvailableModel[]>;
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /**
   * False after the engine was disposed of. False, too, while a loaded model has died more often than its restart
   * intensity allows, until a call loads it again.
   */
  readonly ready: boolean;
  /** Ends everything, as `await using` does at the end of its block: later calls reject with `engine_closed`. */
  close(): Promise<void>;
}

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const host = await openModelHost(options);
  const { kernel, kernelNotes, threads, modelsDir, cacheDir, importGguf, requireSigned, puller } = host;
  const handles = new HandleCount((directory) => host.unload(directory));
  let isDisposed = false;
  const chooseTemplate = (directory: string, name: string, template: string | undefined): void => {
    if (!handles.has(directory)) host.chooseTemplate(directory, template);
    if (host.chosenTemplate(directory) === template) return;
    const message = `the model ${name} is loaded with another chat template; close it first, or load it in another engine`;
    throw new AppError('invalid_option', message, { param: 'template' });
  };
  const close = async (): Promise<void> => {
    isDisposed = true;
    await host[Symbol.asyncDispose]();
  };

  return {
    async load(model, callerOptions) {
      if (isDisposed) throw new AppError('engine_closed', 'the engine was disposed of; create another');
      const name = checkModelName(model);
      const { signal: given, onProgress, template: asked } = checkOptions('load', callerOptions, loadOptions);
      const { signal, tell } = watch(given, onProgress);
      const template = asked === undefined ? undefined : await readTemplate(asked);
      const places = { modelsDir, cacheDir, importGguf, requireSigned, puller };
      const directory = await locateModel(name, { ...places, signal, onProgress: tell });
      chooseTemplate(directory, name, template);
      const drop = handles.add(directory);
      let isClosed = false;
      const checkOpen = (): void => {
        if (isClosed) throw new AppError('engine_closed', `the model ${name} was disposed of; load it again`);
      };
      const acquire = async (inner: AbortSignal | undefined) => {
        checkOpen();
        return host.acquire(directory, inner);
      };
      const peek = () => {
        checkOpen();
        return host.peek(directory);
      };
      try {
        checkOpen();
        using lease = await host.acquire(directory, signal, tell);
        const closeModel = async (): Promise<void> => {
          isClosed = true;
          await drop();
        };
        return createModel({ first: lease.model, kernel, kernelNotes, threads, acquire, peek, close: closeModel });
      } catch (error) {
        await drop();
        throw toMemoryError(error);
      }
    },
    async unload(model) {
      const name = checkModelName(model);
      // A model may be in memory whose directory is gone.
      const gone = [resolve(name), ...(modelsDir === undefined ? [] : [resolve(modelsDir, name)])];
      const places = await locateWithoutImport(name, { modelsDir, cacheDir, importGguf }).then(
        (place) => [place],
        (error: unknown) => {
          if (hasErrorCode(error, 'artifact_not_found')) return gone;
          throw error;
        },
      );
      for (const place of places) if (await host.unload(place)) return true;
      return false;
    },
    models: () => host.models(),
    available: async () => listAvailable(modelsDir),
    tree: () => host.tree(),
    get ready() {
      return host.ready;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** For a load that other callers may share: an error thrown by `onProgress` ends the wait of this caller only. */
function watch(
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): { signal: AbortSignal | undefined; tell: OnProgress | undefined } {
  if (onProgress === undefined) return { signal, tell: undefined };
  const thrown = new AbortController();
  return {
    signal: signal === undefined ? thrown.signal : AbortSignal.any([signal, thrown.signal]),
    tell(progress) {
      try {
        onProgress(progress);
      } catch (error) {
        thrown.abort(error);
      }
    },
  };
}

/** Counts the holders of each name; releasing the last one ends it. */
class HandleCount {
  readonly #counts = new Map<string, number>();
  readonly #end: (name: string) => Promise<unknown>;

  constructor(end: (name: string) => Promise<unknown>) {
    this.#end = end;
  }

  /** Whether `name` has a holder. */
  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** One more holder of `name`; what is returned lets go, once, and settles when that ended it or others hold on. */
  add(name: string): () => Promise<void> {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    let dropping: Promise<void> | undefined;
    return () => (dropping ??= this.#drop(name));
  }

  async #drop(name: string): Promise<void> {
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) return void this.#counts.set(name, left);
    this.#counts.delete(name);
    await this.#end(name);
  }
}

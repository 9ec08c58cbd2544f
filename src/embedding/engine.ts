import { resolve } from 'node:path';
import { AppError, callback, checkOptions, hasErrorCode, toMemoryError, type OptionTable } from '../base/index.js';
import {
  listAvailable,
  type AvailableModel,
  locateModel,
  locateWithoutImport,
  openModelHost,
  readTemplate,
  templateName,
  type EngineOptions,
  type OnProgress,
  type PooledModel,
  type TreeNode,
} from '../models/index.js';
import { callOptions, type CallOptions } from './call-options.js';
import { checkModelName } from './check-arguments.js';
import { createModel, type Model } from './model.js';

/** Options of `load`. */
export interface LoadOptions extends CallOptions {
  /**
   * Called many times a second during a pull, the hashing and conversion of a file, and the reading of weights. An
   * error that it throws rejects this load.
   */
  readonly onProgress?: OnProgress | null | undefined;
  /**
   * A chat template that replaces the model's own, named as in `template` of the engine. Loads that share a model must
   * use the same template.
   */
  readonly template?: string | null | undefined;
}

/** The table that checks the options of `load`. */
const loadOptions: OptionTable<LoadOptions> = { ...callOptions, onProgress: callback, template: templateName };

/** An engine: initialized kernels, and models that share one memory budget. */
export interface Engine extends AsyncDisposable {
  /**
   * Loads an artifact: `demo`, a directory, or a name in the models directory. A GGUF file is converted once into the
   * cache directory, under its digest. A name `org/name` without a local model, also with `@revision` and `:quant`, is
   * a hub repository. It is pulled into the models directory. Loads of one model share it. If memory is short, models
   * without a call are evicted, the least recently used first; their next call loads them again. Errors:
   * `artifact_not_found` and the artifact's other codes, those of its config and of conversion, `cache_unwritable`,
   * those of a pull (`hub_…`, `pull_…`), `out_of_memory`, `models_busy`, `engine_closed`. `signature_invalid`,
   * `signature_rollback`, and with `requireSigned` `signature_missing`, `signature_untrusted`. Those of reading a
   * template, and `invalid_option` if the model is loaded with another template.
   */
  load(model: string, options?: LoadOptions): Promise<Model>;
  /**
   * Unloads a model at once and ends its running calls with `engine_closed`; settles after its memory is released.
   * False if the model is not loaded. The handle that `load` returned stays valid: its next call loads the model again.
   */
  unload(model: string): Promise<boolean>;
  /** The models that use memory now or are about to. */
  models(): PooledModel[];
  /**
   * The names that `load` accepts: `demo`, and the artifacts and GGUF files of the models directory. Only the head of
   * each file is read; an unreadable or invalid entry states the reason. Errors: `invalid_option` if the directory
   * itself cannot be read, `too_many_open_files`.
   */
  available(): Promise<AvailableModel[]>;
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /**
   * False after the engine is disposed of. Also false if a loaded model has died more often than its restart intensity
   * allows, until a call loads it again.
   */
  readonly ready: boolean;
  /** Unloads all models, as `await using` does at the end of its block. Later calls reject with `engine_closed`. */
  close(): Promise<void>;
}

/**
 * Creates an engine and initializes its kernels. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const host = await openModelHost(options);
  const { kernel, kernelNotes, threads, modelsDir } = host;
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
      const directory = await locateModel(name, host, { signal, onProgress: tell });
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
      // A model may still be in memory after its directory was deleted.
      const gone = [resolve(name), ...(modelsDir === undefined ? [] : [resolve(modelsDir, name)])];
      const places = await locateWithoutImport(name, host).then(
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

/** Other callers may share the load, so an error thrown by `onProgress` ends the wait of this caller only. */
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

/** Counts the holders of each name; the release of the last holder calls `end`. */
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

  /** Adds a holder of `name`. The returned function releases it once; the last release waits for `end`. */
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

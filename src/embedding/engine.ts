import { existsSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TreeNode } from '../actor/index.js';
import { AppError, checkOptions } from '../base/index.js';
import type { PooledModel } from '../completion/index.js';
import { artifactPlace, importGguf, type ImportOptions } from '../convert/index.js';
import { listAvailable, type AvailableModel } from './available-models.js';
import { callOptions, type CallOptions } from './call-options.js';
import { checkModelName } from './check-arguments.js';
import { HandleCount } from './handle-count.js';
import { createModel, type Model } from './model.js';
import { openModelHost } from './model-host.js';
import type { EngineOptions } from './options.js';

/** An engine: kernels made ready, and models that share one memory budget. */
export interface Engine extends AsyncDisposable {
  /**
   * Loads an artifact: `demo`, a directory, or a name in the models directory; or a GGUF file, which is converted into
   * the models directory once, under its SHA-256. What is loaded already is shared; when there is no room, models that no call uses go, the least recently used first, and are loaded again when they are
   * next called. Errors: `artifact_not_found` and the artifact's other codes, those of its config and of conversion,
   * `out_of_memory`, `models_busy`, `engine_closed`.
   */
  load(model: string, options?: CallOptions): Promise<Model>;
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
   * itself cannot be read.
   */
  available(): Promise<AvailableModel[]>;
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /**
   * False while a loaded model has died more often than its restart intensity allows and no call has loaded it anew, and
   * after the engine was disposed of.
   */
  readonly ready: boolean;
  /** Ends everything, as `await using` does at the end of its block: later calls reject with `engine_closed`. */
  close(): Promise<void>;
}

/** The demo model's artifact, which the build converts. */
export const DEMO_DIRECTORY = fileURLToPath(new URL('../../demo/', import.meta.url));

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const host = await openModelHost(options);
  const { kernel, threads, modelsDir } = host;
  const handles = new HandleCount((directory) => host.unload(directory));
  let isDisposed = false;
  const close = async (): Promise<void> => {
    isDisposed = true;
    await host[Symbol.asyncDispose]();
  };

  return {
    async load(model, callerOptions) {
      if (isDisposed) throw new AppError('engine_closed', 'the engine was disposed of; create another');
      const name = checkModelName(model);
      const { signal } = checkOptions('load', callerOptions, callOptions);
      const directory = await locateModel(name, modelsDir, signal);
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
        using lease = await acquire(signal);
        const closeModel = async (): Promise<void> => {
          isClosed = true;
          await drop();
        };
        return createModel({ first: lease.model, kernel, threads, acquire, peek, close: closeModel });
      } catch (error) {
        await drop();
        throw error;
      }
    },
    async unload(model) {
      return host.unload(await locateModel(checkModelName(model), modelsDir, undefined, artifactPlace));
    },
    models: () => host.models(),
    available: async () => listAvailable(modelsDir, DEMO_DIRECTORY),
    tree: () => host.tree(),
    get ready() {
      return host.ready;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Where the artifact is; the real path, so that two names of one directory are one model. What becomes of a GGUF file is
 * told by `toArtifact`. Errors: those of conversion.
 */
export async function locateModel(
  model: string,
  modelsDir: string,
  signal?: AbortSignal,
  toArtifact: (options: ImportOptions) => Promise<string> = importGguf,
): Promise<string> {
  const named =
    model === 'demo' ? DEMO_DIRECTORY : isAbsolute(model) || existsSync(model) ? model : join(modelsDir, model);
  const isFile = statSync(named, { throwIfNoEntry: false })?.isFile() === true;
  const path = isFile ? await toArtifact({ file: named, modelsDir, signal }) : named;
  // What is not there, or not to be read, is for whoever opens it to name.
  return realpath(path).catch(() => resolve(path));
}

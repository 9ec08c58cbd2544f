import { existsSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TreeNode } from '../actor/index.js';
import { AppError } from '../base/index.js';
import { ModelPool, prepareModel, type OpenModel, type PooledModel } from '../completion/index.js';
import { selectBackend } from '../compute/index.js';
import { artifactPlace, importGguf, type ImportOptions } from '../convert/index.js';
import { HandleCount } from './handle-count.js';
import { createModel, type CallOptions, type Model } from './model.js';
import { resolveOptions, type EngineOptions } from './options.js';

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
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /**
   * False while a loaded model has died more often than its restart intensity allows and no call has loaded it anew, and
   * after the engine was disposed of.
   */
  readonly ready: boolean;
}

/** The demo model's artifact, which the build converts. */
const DEMO_DIRECTORY = fileURLToPath(new URL('../../demo/', import.meta.url));

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const resolved = resolveOptions(options);
  const { threads, placement, kvCache, speculation, modelsDir, memoryBudgetBytes } = resolved;
  const backend = selectBackend(resolved.backend);
  const kernels = await backend.prepare({ kernel: resolved.kernel });
  const startedMs = performance.now();
  const pool = new ModelPool<OpenModel>({
    budgetBytes: memoryBudgetBytes,
    prepare: (directory, maxBytes) =>
      prepareModel(directory, { kernels, threads, placement, kvCache, speculation, maxBytes }),
  });
  const handles = new HandleCount((directory) => pool.unload(directory));
  let isDisposed = false;

  return {
    async load(name, { signal } = {}) {
      if (isDisposed) throw new AppError('engine_closed', 'the engine was disposed of; create another');
      const directory = await locateModel(name, modelsDir, signal);
      const drop = handles.add(directory);
      let isClosed = false;
      const acquire = async (inner: AbortSignal | undefined) => {
        if (isClosed) throw new AppError('engine_closed', `the model ${name} was disposed of; load it again`);
        return pool.acquire(directory, inner);
      };
      try {
        using lease = await acquire(signal);
        const close = async (): Promise<void> => {
          isClosed = true;
          await drop();
        };
        return createModel({ first: lease.model, kernel: kernels.variant, threads, acquire, close });
      } catch (error) {
        await drop();
        throw error;
      }
    },
    unload: async (name) => pool.unload(await locateModel(name, modelsDir, undefined, artifactPlace)),
    models: () => pool.list(),
    tree: () => toTree(pool.models(), performance.now() - startedMs, isDisposed),
    get ready() {
      return !isDisposed && pool.models().every((model) => model.ready);
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await pool[Symbol.asyncDispose]();
    },
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

function toTree(models: readonly OpenModel[], uptimeMs: number, isDisposed: boolean): TreeNode {
  const children = models.map((model) => ({ ...model.tree(), id: `model:${model.id}` }));
  const sum = (field: 'restarts' | 'mailboxDepth'): number =>
    children.reduce((total, child) => total + child[field], 0);
  return {
    id: 'engine',
    placement: 'supervisor',
    restarts: sum('restarts'),
    mailboxDepth: sum('mailboxDepth'),
    uptimeMs,
    state: isDisposed ? 'stopped' : 'running',
    children,
  };
}

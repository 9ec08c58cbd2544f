import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TreeNode } from '../actor/index.js';
import { AppError } from '../base/index.js';
import { openModel, type OpenModel } from '../completion/index.js';
import { selectBackend, setKernelFlags } from '../compute/index.js';
import { createModel, type Model } from './model.js';
import { resolveOptions, type EngineOptions } from './options.js';

/** An engine: kernels made ready, and the models that were loaded. */
export interface Engine extends AsyncDisposable {
  /**
   * Loads an artifact: `demo`, a directory, or a name in the models directory. Each call loads anew.
   * Errors: `artifact_not_found` and the artifact's other codes, those of its config, `out_of_memory`, `engine_closed`.
   */
  load(model: string): Promise<Model>;
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /** False once an engine has died more often than its restart intensity allows, or was disposed of. */
  readonly ready: boolean;
}

/** The demo model's artifact, which the build converts. */
const DEMO_DIRECTORY = fileURLToPath(new URL('../../demo/', import.meta.url));

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const resolved = resolveOptions(options);
  const backend = selectBackend(resolved.backend);
  setKernelFlags();
  const kernels = await backend.prepare({ kernel: resolved.kernel });
  const startedMs = performance.now();
  const models = new Set<OpenModel>();
  let isDisposed = false;

  return {
    async load(path) {
      if (isDisposed) throw new AppError('engine_closed', 'the engine was disposed of; create another');
      const { threads, placement, kvCache, speculation, modelsDir } = resolved;
      const opened = await openModel(locate(path, modelsDir), { kernels, threads, placement, kvCache, speculation });
      if (isDisposed) {
        await opened[Symbol.asyncDispose]();
        throw new AppError('engine_closed', 'the engine was disposed of while a model was loading');
      }
      models.add(opened);
      return createModel(opened, kernels.variant, threads, () => models.delete(opened));
    },
    tree: () => toTree([...models], performance.now() - startedMs, isDisposed),
    get ready() {
      return !isDisposed && [...models].every((model) => model.ready);
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await Promise.all(Array.from(models, (model) => model[Symbol.asyncDispose]()));
      models.clear();
    },
  };
}

function locate(model: string, modelsDir: string): string {
  if (model === 'demo') return DEMO_DIRECTORY;
  return isAbsolute(model) || existsSync(model) ? model : join(modelsDir, model);
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

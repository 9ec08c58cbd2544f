import type { TreeNode } from '../actor/index.js';
import type { OnProgress } from '../artifact/index.js';
import { ModelPool, prepareModel, type ModelLease, type OpenModel, type PooledModel } from '../pool/index.js';
import { findCacheDirectory, systemClock } from '../base/index.js';
import { selectBackend } from '../compute/index.js';
import { maxAdmitted } from '../engine/index.js';
import { resolveOptions, type EngineOptions } from './engine-options.js';

/** Kernels made ready, and open models under one memory budget: what the library and the server are built on. */
export interface ModelHost extends AsyncDisposable {
  /** The kernel variant and the compute threads of each model. */
  readonly kernel: string;
  /** What of the kernels is slower here than it could be, and why; a sentence each. */
  readonly kernelNotes: readonly string[];
  readonly threads: number;
  /** Where the user's models are; undefined where there is no home and nobody said. */
  readonly modelsDir: string | undefined;
  /** Where what can be made again is kept; undefined: where `findCacheDirectory` says. */
  readonly cacheDir: string | undefined;
  /** The model whose artifact is in `directory`, a real path; loads it when it is not there. Errors: those of `ModelPool.acquire`. */
  acquire(directory: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<ModelLease<OpenModel>>;
  /** The same model if it answers now, without holding or loading it. */
  peek(directory: string): OpenModel | undefined;
  /** Ends a model at once; false when it is not loaded. */
  unload(directory: string): Promise<boolean>;
  /** The models that take memory now or are about to. */
  models(): PooledModel[];
  /** Of these, the ones that answer. */
  openModels(): OpenModel[];
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /** False while a loaded model has given up and no call has loaded it anew, and after this was disposed of. */
  readonly ready: boolean;
}

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function openModelHost(options: EngineOptions = {}): Promise<ModelHost> {
  const { backend: choice, kernel, modelsDir, cacheDir, memoryBudgetBytes, ...run } = resolveOptions(options);
  const backend = selectBackend(choice);
  const kernels = await backend.prepare({ kernel, cacheDirectory: async () => findCacheDirectory(cacheDir) });
  const startedMs = systemClock.nowMs();
  const pool = new ModelPool<OpenModel>({
    budgetBytes: memoryBudgetBytes,
    // As many again may wait for the load, or for their prompts.
    maxCalls: 2 * maxAdmitted(run.maxWaiting),
    prepare: (directory, maxBytes) => prepareModel(directory, { ...run, kernels, maxBytes }),
  });
  let isDisposed = false;

  return {
    kernel: kernels.variant,
    kernelNotes: kernels.notes,
    threads: run.threads,
    modelsDir,
    cacheDir,
    acquire: (directory, signal, onProgress) => pool.acquire(directory, signal, onProgress),
    peek: (directory) => pool.peek(directory),
    unload: (directory) => pool.unload(directory),
    models: () => pool.list(),
    openModels: () => pool.models(),
    tree: () => toTree(pool.models(), systemClock.nowMs() - startedMs, isDisposed),
    get ready() {
      return !isDisposed && pool.models().every((model) => model.ready);
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await pool[Symbol.asyncDispose]();
    },
  };
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

import type { TreeNode } from '../actor/index.js';
import type { OnProgress } from '../artifact/index.js';
import { findCacheDirectory } from '../base/index.js';
import { selectDevice } from '../compute/index.js';
import { maxAdmitted } from '../engine/index.js';
import type { Environment } from '../hub/index.js';
import type { TrustPolicy } from '../signing/index.js';
import { resolveOptions, toTrustPolicy, type EngineOptions, type ImportMode } from './engine-options.js';
import { createModelSupervisor } from './opening/model-tree.js';
import { prepareModel, type MemoryEstimate, type OpenModel } from './opening/open-model.js';
import { ModelPool } from './pool/model-pool.js';
import type { ModelLease, PooledModel } from './pool/pooled-model.js';
import { createPuller } from './pull/puller.js';
import { readTemplate } from './read-template.js';
import type { ModelPlaces } from './resolve/locate-model.js';

/**
 * The host of an engine's models, under the embedding API and the server: where models come from, a device made ready,
 * and open models under one memory budget.
 */
export interface ModelHost extends AsyncDisposable, ModelPlaces {
  readonly importGguf: ImportMode;
  readonly requireSigned: boolean;
  /** The kernel variant and the compute threads of each model. */
  readonly kernel: string;
  /** Which kernels are slower here than possible, and why; a sentence each. */
  readonly kernelNotes: readonly string[];
  readonly threads: number;
  /** For all models together. */
  readonly memoryBudgetBytes: number;
  /** Estimates the memory of the model in `directory` without loading it. Errors: those of opening it and of its config. */
  estimate(directory: string): Promise<MemoryEstimate>;
  /** The model whose artifact is in `directory`, a real path; loads it when it is not there. Errors: those of `ModelPool.acquire`. */
  acquire(directory: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<ModelLease<OpenModel>>;
  /** The same model if it answers now, without holding or loading it. */
  peek(directory: string): OpenModel | undefined;
  /**
   * The text of a chat template for the model in `directory` from its next load on, instead of its own and of the host's;
   * undefined: of these two again.
   */
  chooseTemplate(directory: string, template: string | undefined): void;
  /** The text of the chat template of all models instead of their own; undefined: they have their own. */
  readonly template: string | undefined;
  /** The last choice for this model. */
  chosenTemplate(directory: string): string | undefined;
  /** Later loads use this policy; loaded models stay. */
  setTrust(policy: TrustPolicy): void;
  /** Ends a model at once; false when it is not loaded. */
  unload(directory: string): Promise<boolean>;
  /** Lets a model go when its last call ends, at once where there is none. */
  letGo(directory: string): void;
  /** The models that take memory now or are about to. */
  models(): PooledModel[];
  /** The models of these that are ready. */
  openModels(): OpenModel[];
  /** The live supervision tree: one child for each loaded model. */
  tree(): TreeNode;
  /** False while a loaded model has given up and no call has loaded it anew, and after this was disposed of. */
  readonly ready: boolean;
}

/**
 * Makes the device ready. `env`: the source of the hub's settings, default the environment of the process. Errors:
 * `invalid_option`, `backend_unavailable`, `kernel_unavailable`, those of `readTemplate`.
 */
export async function openModelHost(options: EngineOptions = {}, env?: Environment): Promise<ModelHost> {
  const resolved = resolveOptions(options);
  const { modelsDir, cacheDir, importGguf, pull, trust: given, template: asked, ...rest } = resolved;
  const { backend, kernel, memoryBudgetBytes, ...run } = rest;
  let trust = await toTrustPolicy(given);
  const { requireSigned } = trust;
  const template = asked === undefined ? undefined : await readTemplate(asked);
  const kind = selectDevice(backend);
  const device = await kind.prepare({
    isPortable: kernel === 'portable',
    cacheDirectory: async () => findCacheDirectory(cacheDir),
  });
  const threads = kind.usesThreads ? run.threads : 1;
  const models = await createModelSupervisor();
  const templates = new Map<string, string>();
  const prepare = (directory: string, maxBytes: number): ReturnType<typeof prepareModel> => {
    const chosen = templates.get(directory) ?? template;
    return prepareModel(directory, { ...run, trust, template: chosen, threads, device, maxBytes, models });
  };
  const pool = new ModelPool<OpenModel>({
    budgetBytes: memoryBudgetBytes,
    // As many again may wait for the load, or for their prompts.
    maxCalls: 2 * maxAdmitted(run.maxWaiting),
    prepare,
  });
  // Pulled models are not signed, and would be refused.
  const mayPull = pull && !requireSigned && modelsDir !== undefined;
  const puller = mayPull ? createPuller({ modelsDir, budgetBytes: memoryBudgetBytes, env }) : undefined;
  let isDisposed = false;

  return {
    modelsDir,
    cacheDir,
    importGguf,
    requireSigned,
    puller,
    kernel: device.variant,
    kernelNotes: device.notes,
    threads,
    memoryBudgetBytes,
    async estimate(directory) {
      await using prepared = await prepare(directory, memoryBudgetBytes);
      return prepared.estimate;
    },
    acquire: (directory, signal, onProgress) => pool.acquire(directory, signal, onProgress),
    peek: (directory) => pool.peek(directory),
    chooseTemplate(directory, chosen) {
      if (chosen === undefined) templates.delete(directory);
      else templates.set(directory, chosen);
    },
    template,
    chosenTemplate: (directory) => templates.get(directory),
    setTrust: (policy) => (trust = policy),
    unload: (directory) => pool.unload(directory),
    letGo: (directory) => pool.letGo(directory),
    models: () => pool.list(),
    openModels: () => pool.models(),
    tree: () => models.tree(),
    get ready() {
      return !isDisposed && pool.models().every((model) => model.ready);
    },
    async [Symbol.asyncDispose]() {
      await puller?.[Symbol.asyncDispose]();
      isDisposed = true;
      await pool[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}

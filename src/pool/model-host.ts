import type { TreeNode } from '../actor/index.js';
import type { OnProgress } from '../artifact/index.js';
import { selectDevice, type BackendChoice, type KernelChoice } from '../compute/index.js';
import { maxAdmitted } from '../engine/index.js';
import type { TrustPolicy } from '../signing/index.js';
import { ModelPool } from './model-pool.js';
import { createModelSupervisor } from './model-supervisor.js';
import { prepareModel, type MemoryEstimate, type OpenModel, type OpenModelOptions } from './open-model.js';
import type { ModelLease, PooledModel } from './pooled-model.js';

/** Options that all models share. */
export interface ModelHostOptions extends Omit<OpenModelOptions, 'device' | 'maxBytes' | 'models'> {
  readonly backend: BackendChoice;
  readonly kernel: KernelChoice;
  /** Bytes of weights, KV caches and activations of all models together. */
  readonly memoryBudgetBytes: number;
  /** The directory that remembers which kernels are safe on this machine. */
  readonly cacheDirectory: () => Promise<string>;
}

/** A device made ready, and open models under one memory budget. */
export interface PoolHost extends AsyncDisposable {
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

/** Makes the device ready. Errors: `backend_unavailable`, `kernel_unavailable`. */
export async function createModelHost(options: ModelHostOptions): Promise<PoolHost> {
  const { backend: choice, kernel, memoryBudgetBytes, cacheDirectory, ...run } = options;
  const kind = selectDevice(choice);
  const device = await kind.prepare({ kernel, cacheDirectory });
  const threads = kind.usesThreads ? run.threads : 1;
  const models = await createModelSupervisor();
  const templates = new Map<string, string>();
  let { trust } = run;
  const prepare = (directory: string, maxBytes: number): ReturnType<typeof prepareModel> => {
    const template = templates.get(directory) ?? run.template;
    return prepareModel(directory, { ...run, trust, template, threads, device, maxBytes, models });
  };
  const pool = new ModelPool<OpenModel>({
    budgetBytes: memoryBudgetBytes,
    // As many again may wait for the load, or for their prompts.
    maxCalls: 2 * maxAdmitted(run.maxWaiting),
    prepare,
  });
  let isDisposed = false;

  return {
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
    chooseTemplate(directory, template) {
      if (template === undefined) templates.delete(directory);
      else templates.set(directory, template);
    },
    template: run.template,
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
      isDisposed = true;
      await pool[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}

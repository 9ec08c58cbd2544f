// Models in memory: opened, leased to calls, and evicted within one budget of bytes. No names and no sockets.
export { poolCodes } from './errors.js';
export { holdCompletion, type HeldCompletion } from './held-completion.js';
export { createModelHost, type PoolHost, type ModelHostOptions } from './model-host.js';
export { ModelPool, type ModelPoolOptions } from './model-pool.js';
export { openModel, prepareModel, type OpenModel, type OpenModelOptions } from './open-model.js';
export type { Loadable, ModelLease, Poolable, PooledModel } from './pooled-model.js';
// Types of the requests and answers of a pool and its models.
export type { TreeNode } from '../actor/index.js';
export type { OnProgress } from '../artifact/index.js';
export type { Embeddings, EmbedInput } from '../completion/index.js';
export {
  backendWords,
  isBackendChoice,
  type BackendChoice,
  type KernelChoice,
  type KvFormat,
} from '../compute/index.js';
export type { Tokenizer } from '../tokenizer/index.js';

// Models in memory: opened, leased to calls, and evicted within one budget of bytes. No names and no sockets.
export { poolCodes } from './errors.js';
export { holdCompletion, type HeldCompletion } from './held-completion.js';
export { createModelHost, type ModelHost, type ModelHostOptions } from './model-host.js';
export { ModelPool, type ModelPoolOptions } from './model-pool.js';
export { openModel, prepareModel, type OpenModel, type OpenModelOptions } from './open-model.js';
export type { Loadable, ModelLease, Poolable, PooledModel } from './pooled-model.js';
export type { BackendChoice, KernelChoice, KvFormat } from '../compute/index.js';

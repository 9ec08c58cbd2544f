// Models in memory: opened, leased to calls, and evicted within one budget of bytes. No names and no sockets.
export { poolCodes } from './errors.js';
export { createModelSupervisor } from './model-supervisor.js';
export { ModelPool, type ModelPoolOptions } from './model-pool.js';
export { openModel, prepareModel, type OpenModel, type OpenModelOptions } from './open-model.js';
export type { Loadable, ModelLease, Poolable, PooledModel } from './pooled-model.js';

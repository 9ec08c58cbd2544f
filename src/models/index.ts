// A name becomes a loaded model: the meaning of names, imports and pulls, and the host that opens, leases and evicts.
export { resolveOptions, templateName, type EngineOptions, type ImportMode } from './engine-options.js';
export { modelsCodes } from './errors.js';
export { openModelHost, type ModelHost } from './model-host.js';
export {
  holdCompletion,
  openModel,
  type HeldCompletion,
  type OpenModel,
  type OpenModelOptions,
} from './opening/open-model.js';
export { signatureNote } from './opening/signature-note.js';
export { ModelPool } from './pool/model-pool.js';
export type { Loadable, ModelLease, Poolable, PooledModel } from './pool/pooled-model.js';
export { searchAndAssess } from './pull/assess.js';
export type { PullEstimate } from './pull/estimate.js';
export type { OnPullEvent, PullEvent } from './pull/pull-events.js';
export { pullModel, type Pulled } from './pull/pull-model.js';
export { createPuller, type Puller } from './pull/puller.js';
export { readTemplate } from './read-template.js';
export { listAvailable, type AvailableModel } from './resolve/available-models.js';
export { demoDirectory, findModel, listNamed, lookUp, toReference } from './resolve/find-model.js';
export { locateModel, locateWithoutImport } from './resolve/locate-model.js';
export { notFound } from './resolve/not-found.js';
export {
  createModelLibrary,
  removeWithImport,
  type LibraryHost,
  type ModelLibrary,
  type ModelLibraryOptions,
  type NamedModel,
} from './serving/model-library.js';
export { createOneModelLibrary, type OneModelLibrary, type OneModelState } from './serving/one-model.js';
// Types of the requests and answers of a host and its models.
export type { TreeNode } from '../actor/index.js';
export type { OnProgress } from '../artifact/index.js';
export type { Embeddings, EmbedInput } from '../completion/index.js';
export { backendWords, isBackendChoice, type BackendChoice, type KvFormat } from '../compute/index.js';
export type { Tokenizer } from '../tokenizer/index.js';

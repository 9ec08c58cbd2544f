// The models directory, and the files beside models: digests, locks, staging. Neither converts nor runs a model.
export { digestOf, identityOf, knownDigest, type DigestOptions } from './file-digest.js';
export { createFactsReader, type FactsReader } from './facts/facts-reader.js';
export { readGgufSampling, readSamplingNumbers } from './facts/recommended-sampling.js';
export { knownSampling } from './facts/known-sampling.js';
export { summarize, type ModelSummary } from './facts/summary.js';
export type { FactValue, ModelFacts, TensorFact } from './facts/model-facts.js';
export { artifactBytes } from './artifact-bytes.js';
export {
  defaultModelsDir,
  describeArtifact,
  findStoredModel,
  isReadable,
  listEntries,
  listModels,
  whyNotListed,
  type StoredEntry,
  type StoredModel,
} from './models-directory.js';
export { storeCodes } from './errors.js';
export { DEMO, directoryNameOf, formatModelId, isRepoId, parseModelId, type ModelId } from './model-names.js';
export { readKnownName, suggestKnownName, type KnownRepository } from './known-name.js';
export { publicId, readOrigin, type Origin } from './origin.js';
export type { CopyOptions } from './copy-model.js';
export { openStore, type Build, type NewStoredModel, type PlaceOptions, type Store } from './store.js';
export { bytesOf, type Staging, type Swept } from './staging.js';

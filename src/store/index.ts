// The models directory, and what is kept beside models: digests. Converts and runs no model.
export { digestOf, identityOf, knownDigest, type DigestOptions } from './file-digest.js';
export { createFactsReader, type FactsReader } from './facts/facts-reader.js';
export type { FactValue, ModelFacts, TensorFact } from './facts/model-facts.js';
export { artifactBytes } from './artifact-bytes.js';
export {
  defaultModelsDir,
  describeArtifact,
  findStoredModel,
  listEntries,
  listModels,
  whyNotListed,
  type StoredEntry,
  type StoredModel,
} from './models-directory.js';

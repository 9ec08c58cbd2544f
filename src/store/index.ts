// The models directory, and what is kept beside models: digests. Converts and runs no model.
export { digestOf, identityOf, knownDigest, type DigestOptions } from './file-digest.js';
export { findStoredModel, listModels, modelNames, whyNotListed, type StoredModel } from './models-directory.js';

// A foreign model becomes an artifact. Runs no model.
export { convertCheckpoint, type ConvertOptions, type ConvertSummary } from './convert-checkpoint.js';
export { artifactPlace, importGguf, type ImportOptions } from './import-gguf.js';
export { convertCodes } from './errors.js';
export { createRandomArtifact, type RandomArtifactOptions } from './random-artifact.js';
export { shapes, type ShapeName } from './shapes.js';
export { findStoredModel, listModels, modelNames, whyNotListed, type StoredModel } from './models-directory.js';

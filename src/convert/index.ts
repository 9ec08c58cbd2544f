// A foreign model becomes an artifact. Runs no model.
export { convertCheckpoint, type ConvertOptions, type ConvertSummary } from './convert-checkpoint.js';
export { artifactPlace, forgetImport, importGguf, type ImportOptions } from './import-gguf.js';
export { openSource } from './open-source.js';
export { ggufBytes } from './gguf-bytes.js';
export type { Notice, OnNotice } from './notice.js';
export { convertCodes } from './errors.js';
export { createRandomArtifact, type RandomArtifactOptions } from './random/random-artifact.js';
export { shapes, type ShapeName } from './random/shapes.js';
export type { OnProgress } from '../artifact/index.js';

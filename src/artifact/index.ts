// A model as a directory of ours: manifest, packed weights, tokenizer, template. Holds no tensor itself.
export {
  isWholeArtifact,
  openArtifact,
  readArtifactHead,
  readManifest,
  type Artifact,
  type ArtifactHead,
} from './artifact.js';
export { amendManifest, type ManifestChange } from './amend-manifest.js';
export { artifactCodes } from './errors.js';
export type { LoadProgress, OnProgress } from './load-progress.js';
export {
  loadWeights,
  type FillOptions,
  type WeightLoadOptions,
  type TensorTarget,
  type WeightsFile,
} from './load-weights.js';
export {
  CHUNK_BYTES,
  DEFAULT_LAYOUT,
  FORMAT_VERSION,
  MAX_SIGNATURE_BYTES,
  PACKING_VERSION,
  SIGNATURE_NAME,
  TENSOR_ALIGNMENT,
  type Chat,
  type FileEntry,
  type GenerationDefaults,
  type Manifest,
  type TensorEntry,
} from './manifest.js';
export type { ModelSource, Signable } from './model-source.js';
export { createArtifactWriter, toManifest, type ArtifactWriter, type ManifestHead, type NewTensor } from './writer.js';

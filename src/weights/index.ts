// Numbers of a model in files' formats and in kernels' formats. Knows no device.
export { listCheckpointFolder, openCheckpointFile, readCheckpointFile } from './checkpoint-file.js';
export { weightsCodes } from './errors.js';
export {
  bf16ArrayToF32,
  f16ArrayToF32,
  f16ToF32,
  f32ArrayToBf16,
  f32ArrayToF16,
  f32BitsToBf16,
  f32ToF16,
} from './floats.js';
export {
  formats,
  openGguf,
  openSafetensors,
  type GgufSource,
  type TensorFormat,
  type TensorInfo,
  type TensorSource,
} from './formats/index.js';
export { parseHeader as parseGgufHeader, type GgufHeader } from './gguf/header.js';
export { LARGE_FILE_BYTES } from './gguf/open-file.js';
export { listParts, readPartName, type PartName } from './gguf/part-names.js';
export {
  isForeignQuant,
  isUnquantised,
  plainQuant,
  quantFactsOf,
  readQuantLabel,
  toQuantLabel,
  type QuantFacts,
} from './gguf/quant-labels.js';
export type { Metadata, MetadataValue } from './gguf/metadata.js';
export { TextList, type TextParts } from './gguf/text-list.js';
export { repackers, type Repacker } from './gguf/repack.js';
export {
  compileRepackKernels,
  createRepackKernels,
  type RepackGroup,
  type RepackKernels,
} from './gguf/repack-kernels.js';
export { BLOCK_COLUMNS, paddedColumns, paddedRows, ROWS_PER_GROUP } from './layout.js';
export { packedMatrixBytes, packedVectorBytes, packMatrix, unpackMatrix } from './packed.js';
export {
  quantNames,
  quantOf,
  quants,
  type KernelSuffix,
  type Quant,
  type QuantBlock,
  type QuantName,
} from './quants/index.js';
export { readExactly } from './read-exactly.js';
export type { BeforeRead } from './readable-file.js';
export { parseHeader as parseSafetensorsHeader, type HeaderEntry } from './safetensors/header.js';

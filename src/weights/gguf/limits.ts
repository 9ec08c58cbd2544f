// Every bound of the GGUF parser, with its reason. Published files stay far below each. Most are those of
// huggingface.js, packages/gguf/src/gguf.ts.

/** Bytes before the tensors: a vocabulary of 262,144 tokens with its merges takes 16 MB. */
export const MAX_GGUF_HEADER_BYTES = 50_000_000;
/** Metadata entries: published files have some 50. */
export const MAX_METADATA_ENTRIES = 100_000;
/** Tensors: as many as a safetensors file may have. */
export const MAX_GGUF_TENSORS = 1_000_000;
/** Bytes of one string: the longest published chat templates have some 20 KB. */
export const MAX_STRING_BYTES = 10_000_000;
/** Bytes of a key: the format's own limit. */
export const MAX_KEY_BYTES = 65_535;
/** Bytes of a tensor's name: the format's own limit (GGML_MAX_NAME). */
export const MAX_TENSOR_NAME_BYTES = 64;
/** Items of one array: merges of the largest published vocabularies are 514,906. */
export const MAX_ARRAY_LENGTH = 1_000_000;
/** Arrays within arrays: published files have 1. */
export const MAX_ARRAY_DEPTH = 4;
/** Dimensions of a tensor: the format's own limit (GGML_MAX_DIMS). */
export const MAX_RANK = 4;
/** One dimension. */
export const MAX_DIMENSION = 2 ** 32 - 1;
/** `general.alignment`: 32 unless the file says otherwise; a large page is more than anyone needs. */
export const DEFAULT_ALIGNMENT = 32;
export const MAX_ALIGNMENT = 2 ** 21;

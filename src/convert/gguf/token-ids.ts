import type { MetadataReader } from './metadata-reader.js';

/** More than any vocabulary has; the model's own size is checked later. */
const MAX_TOKEN_ID = 2 ** 31 - 1;

/** `tokenizer.ggml.<name>_token_id`. */
export function readTokenId(metadata: MetadataReader, name: string): number | undefined {
  return metadata.index(`tokenizer.ggml.${name}_token_id`, MAX_TOKEN_ID);
}

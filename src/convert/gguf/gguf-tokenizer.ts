import { AppError } from '../../base/index.js';
import type { SentencePieceSpec } from '../../tokenizer/index.js';
import type { MetadataReader } from './metadata-reader.js';
import { isSentencePiece, readSentencePiece } from './sentencepiece.js';
import { readPicked, type TokenizerMetadata } from './tokenizer-metadata.js';
import { createTokenizerSpec } from './tokenizer-spec.js';

/** A spec like tokenizer.json, or pieces of sentencepiece. */
export type GgufTokenizer =
  | { readonly kind: 'spec'; readonly spec: Readonly<Record<string, unknown>> }
  | { readonly kind: 'pieces'; readonly spec: SentencePieceSpec };

/** The tokenizer of a GGUF file. Errors: `checkpoint_invalid`; `unsupported_tokenizer` for an unsupported kind. */
export function readTokenizer(picked: TokenizerMetadata): GgufTokenizer {
  const metadata = readPicked(picked);
  const name = metadata.text('tokenizer.ggml.model');
  const tokens = metadata.textList('tokenizer.ggml.tokens');
  if (tokens === undefined) throw unsupported(metadata, 'it has no tokenizer.ggml.tokens');
  if (isSentencePiece(name)) return { kind: 'pieces', spec: readSentencePiece(metadata, name, tokens) };
  if (name === 'gpt2') return { kind: 'spec', spec: createTokenizerSpec(metadata, tokens) };
  const what = String(name).slice(0, 40);
  throw unsupported(metadata, `its tokenizer.ggml.model is ${what}; gpt2, llama and t5 can be read`);
}

/** The error for a sound tokenizer of an unsupported kind. */
function unsupported(metadata: MetadataReader, why: string): AppError {
  return new AppError('unsupported_tokenizer', `the tokenizer of ${metadata.file} cannot be read: ${why}`, {
    file: metadata.file,
  });
}

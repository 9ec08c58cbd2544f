import { AppError, toErrorData } from '../../base/index.js';
import { compileSentencePiece, compileTokenizerSpec } from '../../tokenizer/index.js';
import type { CompiledTokenizer } from '../checkpoint.js';
import type { MetadataReader } from './metadata-reader.js';
import { isSentencePiece, readSentencePiece } from './sentencepiece.js';
import { createTokenizerSpec } from './tokenizer-spec.js';

/** The tokenizer of a GGUF file; one of a kind that is not built is told as missing. Errors: `checkpoint_invalid`. */
export function compileGgufTokenizer(metadata: MetadataReader): CompiledTokenizer {
  try {
    return { bytes: compile(metadata) };
  } catch (error) {
    const { code, message } = toErrorData(error);
    if (code !== 'unsupported_tokenizer') throw error;
    return { bytes: null, missing: message };
  }
}

function compile(metadata: MetadataReader): Uint8Array {
  const name = metadata.text('tokenizer.ggml.model');
  const tokens = metadata.textList('tokenizer.ggml.tokens');
  if (tokens === undefined) throw unsupported(metadata, 'it has no tokenizer.ggml.tokens');
  if (isSentencePiece(name)) return compileSentencePiece(readSentencePiece(metadata, name, tokens));
  if (name === 'gpt2') return compileTokenizerSpec(createTokenizerSpec(metadata, tokens));
  const what = String(name).slice(0, 40);
  throw unsupported(metadata, `its tokenizer.ggml.model is ${what}; gpt2, llama and t5 can be read`);
}

/** Errors of tokenizers that are sound and not built. */
export function unsupported(metadata: MetadataReader, why: string): AppError {
  return new AppError('unsupported_tokenizer', `the tokenizer of ${metadata.file} cannot be read: ${why}`, {
    file: metadata.file,
  });
}

import { AppError, toErrorData } from '../../base/index.js';
import type { TokenizerSource } from '../tokenizer-source.js';
import type { MetadataReader } from './metadata-reader.js';
import { isSentencePiece, readSentencePiece } from './sentencepiece.js';
import { createTokenizerSpec } from './tokenizer-spec.js';

/** The tokenizer of a GGUF file; one of a kind that is not built is told as missing. Errors: `checkpoint_invalid`. */
export function readTokenizerSource(metadata: MetadataReader): TokenizerSource {
  try {
    return readKnown(metadata);
  } catch (error) {
    const { code, message } = toErrorData(error);
    if (code !== 'unsupported_tokenizer') throw error;
    return { kind: 'none', missing: message };
  }
}

function readKnown(metadata: MetadataReader): TokenizerSource {
  const name = metadata.text('tokenizer.ggml.model');
  const tokens = metadata.textList('tokenizer.ggml.tokens');
  if (tokens === undefined) throw unsupported(metadata, 'it has no tokenizer.ggml.tokens');
  if (isSentencePiece(name)) return { kind: 'pieces', spec: readSentencePiece(metadata, name, tokens) };
  if (name === 'gpt2') return { kind: 'spec', spec: createTokenizerSpec(metadata, tokens) };
  const what = String(name).slice(0, 40);
  throw unsupported(metadata, `its tokenizer.ggml.model is ${what}; gpt2, llama and t5 can be read`);
}

/** Errors of tokenizers that are sound and not built. */
function unsupported(metadata: MetadataReader, why: string): AppError {
  return new AppError('unsupported_tokenizer', `the tokenizer of ${metadata.file} cannot be read: ${why}`, {
    file: metadata.file,
  });
}

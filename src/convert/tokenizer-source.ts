import { toErrorData, type JsonObject } from '../base/index.js';
import {
  compileSentencePiece,
  compileTokenizer,
  compileTokenizerModel,
  compileTokenizerSpec,
} from '../tokenizer/index.js';
import { readTokenizer, type GgufTokenizer } from './gguf/gguf-tokenizer.js';
import type { TokenizerMetadata } from './gguf/tokenizer-metadata.js';

/** The source of a model's tokenizer.bin in its checkpoint: data alone, which survives structured cloning. */
export type TokenizerSource =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'model'; readonly file: Uint8Array; readonly config: JsonObject | null }
  | { readonly kind: 'gguf'; readonly metadata: TokenizerMetadata };

/** tokenizer.bin, or the reason for its absence. */
export type CompiledTokenizer =
  | { readonly bytes: Uint8Array; readonly missing?: undefined }
  | { readonly bytes: null; readonly missing: string };

/**
 * Compiles tokenizer.bin, which takes a third of a second for a large vocabulary. Errors: those of tokenizer.json,
 * `checkpoint_invalid`.
 */
export function compileSource(source: TokenizerSource): CompiledTokenizer {
  switch (source.kind) {
    case 'json':
      return { bytes: compileTokenizer(source.text) };
    case 'model':
      return { bytes: compileTokenizerModel(source.file, source.config) };
    case 'gguf':
      return compileKnown(() => compileGguf(readTokenizer(source.metadata)));
  }
}

function compileGguf(read: GgufTokenizer): Uint8Array {
  return read.kind === 'spec' ? compileTokenizerSpec(read.spec) : compileSentencePiece(read.spec);
}

/** An unsupported kind is reported as missing. */
function compileKnown(compile: () => Uint8Array): CompiledTokenizer {
  try {
    return { bytes: compile() };
  } catch (error) {
    const { code, message } = toErrorData(error);
    if (code !== 'unsupported_tokenizer') throw error;
    return { bytes: null, missing: message };
  }
}

import { isJoined, toErrorData } from '../base/index.js';
import {
  compileSentencePiece,
  compileTokenizer,
  compileTokenizerModel,
  compileTokenizerSpec,
  type SentencePieceSpec,
} from '../tokenizer/index.js';
import type { JsonObject } from './huggingface/checkpoint-files.js';

/**
 * What tokenizer.bin of a model is made of, as its checkpoint has it: data alone, which survives structured cloning. Of a GGUF
 * file it is a spec like tokenizer.json, pieces of sentencepiece, or the reason why the model goes without.
 */
export type TokenizerSource =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'model'; readonly file: Uint8Array; readonly config: JsonObject | null }
  | { readonly kind: 'spec'; readonly spec: JsonObject }
  | { readonly kind: 'pieces'; readonly spec: SentencePieceSpec }
  | { readonly kind: 'none'; readonly missing: string };

/** Memory of a source's tables, which nobody else has: a thread that is given it needs no copy. */
export function memoryOf(source: TokenizerSource): ArrayBuffer[] {
  const buffers = new Set(tablesOf(source).map(({ buffer }) => buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
}

function tablesOf(source: TokenizerSource): ArrayBufferView[] {
  if (source.kind === 'pieces') {
    const { contents, scores, types } = source.spec.pieces;
    return [contents.bytes, contents.offsets, scores, types];
  }
  if (source.kind !== 'spec') return [];
  const { vocab, merges } = source.spec['model'] as JsonObject;
  return [vocab, merges].filter(isJoined).flatMap(({ bytes, offsets }) => [bytes, offsets]);
}

/** tokenizer.bin, or why the model goes without. */
export type CompiledTokenizer =
  | { readonly bytes: Uint8Array; readonly missing?: undefined }
  | { readonly bytes: null; readonly missing: string };

/** Makes tokenizer.bin, which takes a third of a second for a large vocabulary. Errors: those of tokenizer.json. */
export function compileSource(source: TokenizerSource): CompiledTokenizer {
  switch (source.kind) {
    case 'json':
      return { bytes: compileTokenizer(source.text) };
    case 'model':
      return { bytes: compileTokenizerModel(source.file, source.config) };
    case 'spec':
      return compileKnown(() => compileTokenizerSpec(source.spec));
    case 'pieces':
      return compileKnown(() => compileSentencePiece(source.spec));
    case 'none':
      return { bytes: null, missing: source.missing };
  }
}

/** One of a kind that is not built is told as missing. */
function compileKnown(compile: () => Uint8Array): CompiledTokenizer {
  try {
    return { bytes: compile() };
  } catch (error) {
    const { code, message } = toErrorData(error);
    if (code !== 'unsupported_tokenizer') throw error;
    return { bytes: null, missing: message };
  }
}

import { createThreadPool, fromErrorData, type ErrorData } from '../base/index.js';
import { hiddenTextsOf } from '../chat/index.js';
import { createVocabulary, textTokens } from '../grammar/index.js';
import { openTokenizer } from '../tokenizer/index.js';
import type { Checkpoint, CompiledTokenizer } from './checkpoint.js';

/** Smaller vocabularies are compiled before a thread has started. */
const THREAD_FROM_TOKENS = 65_536;
/** A larger one takes so much memory that packing beside it would pass 500 MB: 262,144 tokens took 630. */
const BESIDE_UP_TO_TOKENS = 200_000;
/** Of 262,144 tokens it takes some 300 MB, as objects. */
const HEAP_MB = 2_048;
/** More makes it no faster, and takes up to ten times as much. */
const YOUNG_HEAP_MB = 16;

/** What a thread is told. */
export type TokenizerTask = Omit<TokenizerPlace, 'signal'>;

/** What a tokenizer is made of: the checkpoint at `path`. The signal ends it where it is made on a thread. */
export interface TokenizerPlace {
  readonly path: string;
  readonly vocabSize: number;
  readonly signal: AbortSignal;
}

/** tokenizer.bin with the vocabulary as grammars walk it (vocabulary.bin); or why the model goes without. */
export type CompiledText =
  | { readonly bytes: Uint8Array; readonly vocabulary: Uint8Array; readonly missing?: undefined }
  | { readonly bytes: null; readonly missing: string };

/** Whether weights may be packed while it is made. */
export function isMadeBeside(vocabSize: number): boolean {
  return isLargeVocabulary(vocabSize) && vocabSize <= BESIDE_UP_TO_TOKENS;
}

/** Whether it is made on a thread. */
function isLargeVocabulary(vocabSize: number): boolean {
  return vocabSize >= THREAD_FROM_TOKENS;
}

/**
 * The tokenizer.bin and vocabulary.bin of a model. Those of a large vocabulary are made on a thread: the memory that it takes is free again
 * afterwards, and a file is hashed and its weights are packed meanwhile. Errors: those of `Checkpoint.compileTokenizer`.
 */
export async function compileTokenizerOf(
  checkpoint: Checkpoint,
  { path, vocabSize, signal }: TokenizerPlace,
): Promise<CompiledText> {
  if (!isLargeVocabulary(vocabSize)) return withVocabulary(checkpoint, vocabSize);
  const pool = await createThreadPool<TokenizerTask, CompiledText | { readonly error: ErrorData }>({
    file: 'dist/src/convert/tokenizer-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
    youngHeapMb: YOUNG_HEAP_MB,
  });
  // A thread that dies between two tasks is heard as an event, which would end the process if nobody listened.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  try {
    const result = await Promise.race([pool.run({ path, vocabSize }, { name: 'run', signal }), broken]);
    if ('error' in result) throw fromErrorData(result.error);
    return result;
  } finally {
    await pool.destroy();
  }
}

/** Makes both on this thread. `vocabSize`: the model's, which may be larger than the tokenizer's. */
export function withVocabulary(checkpoint: Checkpoint, vocabSize: number): CompiledText {
  const compiled: CompiledTokenizer = checkpoint.compileTokenizer();
  if (compiled.bytes === null) return compiled;
  const tokenizer = openTokenizer(compiled.bytes, () => [], vocabSize);
  const size = Math.max(vocabSize, tokenizer.vocabSize);
  const vocabulary = createVocabulary(textTokens(tokenizer, size, hiddenTextsOf(checkpoint, tokenizer)));
  return { bytes: compiled.bytes, vocabulary: vocabulary.toBytes() };
}

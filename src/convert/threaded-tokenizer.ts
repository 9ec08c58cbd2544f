import { stat } from 'node:fs/promises';
import { createThreadPool, fromErrorData, type ErrorData } from '../base/index.js';
import { LARGE_FILE_BYTES } from '../weights/index.js';
import type { ConversionTokenizer, TokenizerParts } from './conversion-tokenizer.js';

/** Smaller vocabularies compile faster than a thread starts. */
const THREAD_FROM_TOKENS = 65_536;
/** 262,144 tokens take some 60 MB, in flat tables outside of the heap. */
const HEAP_MB = 512;
/** A larger one makes it no faster, and takes up to ten times as much memory. */
const YOUNG_HEAP_MB = 16;

/** Whether the tokenizer is compiled on a thread, while weights are packed. */
export function isLargeVocabulary(vocabSize: number): boolean {
  return vocabSize >= THREAD_FROM_TOKENS;
}

/** Whether to start the thread before the vocabulary's size is known, so that it is ready in time. */
export async function isLargeFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size >= LARGE_FILE_BYTES;
}

/** A thread for one tokenizer. */
export interface TokenizerThread extends AsyncDisposable {
  /** Compiles it. Errors: those of `makeTokenizer` (conversion-tokenizer.ts); the reason of the signal. */
  make(parts: TokenizerParts, signal: AbortSignal): Promise<ConversionTokenizer>;
}

/** Starts one. Errors: `package_not_found`. */
export async function createTokenizerThread(): Promise<TokenizerThread> {
  const pool = await createThreadPool<TokenizerParts, ConversionTokenizer | { readonly error: ErrorData }>({
    file: 'dist/src/convert/tokenizer-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
    youngHeapMb: YOUNG_HEAP_MB,
  });
  // A thread's death between two tasks emits an 'error' event, which would end the process without a listener.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  broken.catch(() => {});
  return {
    async make(parts, signal) {
      const result = await Promise.race([pool.run(parts, { name: 'run', signal }), broken]);
      if ('error' in result) throw fromErrorData(result.error);
      return result;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

import { stat } from 'node:fs/promises';
import { createThreadPool, fromErrorData, type ErrorData } from '../base/index.js';
import { LARGE_FILE_BYTES } from '../weights/index.js';
import type { ConversionTokenizer, TokenizerParts } from './conversion-tokenizer.js';

/** Smaller vocabularies are compiled before a thread has started. */
const THREAD_FROM_TOKENS = 65_536;
/** Of 262,144 tokens it takes some 60 MB, in flat tables beside. */
const HEAP_MB = 512;
/** More makes it no faster, and takes up to ten times as much. */
const YOUNG_HEAP_MB = 16;

/** Whether it is made on a thread, while weights are packed. */
export function isLargeVocabulary(vocabSize: number): boolean {
  return vocabSize >= THREAD_FROM_TOKENS;
}

/** Whether the thread is started before the vocabulary is known, so that it is there when it is. */
export async function isLargeFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size >= LARGE_FILE_BYTES;
}

/** A thread for one tokenizer. */
export interface TokenizerThread extends AsyncDisposable {
  /** Makes it. Errors: those of `makeTokenizer` (conversion-tokenizer.ts); the reason of the signal. */
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
  // A thread that dies between two tasks is heard as an event, which would end the process if nobody listened.
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

import { AppError } from '../base/index.js';
import type { KvCache } from './cache/kv-cache.js';
import type { Runner } from './runner.js';
import type { Sequence } from './sequence.js';

/** Limits of one run. */
interface Limits {
  readonly vocabSize: number;
  /** Rows with logits in the next run. */
  readonly maxRows: () => number;
}

/**
 * Logits of every token of `sequence`, f32 [numTokens, vocabSize], in parts with a pause between; none of its blocks
 * stay in the cache. Errors: `overloaded` when the cache has no space now.
 */
export function* promptLogits(
  sequence: Sequence,
  runner: Runner,
  cache: KvCache,
  { vocabSize, maxRows }: Limits,
): Generator<undefined, Float32Array<ArrayBuffer>> {
  const numTokens = sequence.tokenIds.length;
  if (!cache.reserve(sequence, numTokens)) {
    cache.drop(sequence);
    const { freeBlocks } = cache.stats;
    const message = `the KV cache has ${freeBlocks} free blocks, too few for a prompt of ${numTokens} tokens; try again later`;
    throw new AppError('overloaded', message, { freeBlocks });
  }
  try {
    const logits = new Float32Array(numTokens * vocabSize);
    for (;;) {
      const first = sequence.numComputed;
      const count = Math.min(sequence.numPending, maxRows());
      runner.score(sequence, count);
      for (let i = 0; i < count; i++) logits.set(runner.logits(i), (first + i) * vocabSize);
      if (sequence.numPending === 0) return logits;
      yield;
    }
  } finally {
    cache.drop(sequence);
  }
}

import { randomInt } from 'node:crypto';
import { neutralSampling, toCacheScope, type GenerateRequest, type Sampling } from '../engine/index.js';
import type { ConstraintSpec } from '../grammar/index.js';
import { toIds } from './check-arguments.js';

/** A prompt of token ids to continue. Absent sampling values are off: temperature 1, topP 1, topK 0 and so on. */
export interface GenerateOptions extends Partial<Sampling> {
  readonly promptTokenIds: ArrayLike<number>;
  readonly maxTokens: number;
  /** A whole number, beyond 2^53 a bigint, of 64 bits; absent or -1: another one each time. */
  readonly seed?: number | bigint;
  /** Ids that end it, beside the model's own. */
  readonly stopTokenIds?: readonly number[];
  /** Go on at the model's own stop ids: they are tokens like others. */
  readonly ignoreStop?: boolean;
  /** Which tokens may come, token by token; its end is an end by `stop`, and no token. */
  readonly constraint?: ConstraintSpec;
  /** Alternatives to give the logprobs of beside each token's own, 0 to 20. Absent: no logprobs. */
  readonly logprobs?: number;
  /**
   * Who asks: callers wait equally long, however much each asks, and one that asks again need not compute the last tokens of
   * what it had asked before. While others wait, one holds at most half of the places. Absent: nobody in particular.
   */
  readonly caller?: string;
  /** Shares cached prefixes with the calls of the same salt only, 1 to 256 characters. Absent: with all that have none. */
  readonly cacheSalt?: string;
  /** Higher runs first; default 0. */
  readonly priority?: number;
  /** Milliseconds from when the engine has it until it ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number;
}

/** The engine's request. Options that are there but undefined count as absent, unknown ones are left behind. */
export function toGenerateRequest(options: GenerateOptions, modelStopIds: readonly number[]): GenerateRequest {
  const { promptTokenIds, maxTokens, stopTokenIds = [], ignoreStop = false } = options;
  const { constraint, logprobs, caller, cacheSalt, priority, deadlineMs } = options;
  const asked = Object.entries(options).filter(([name, value]) => name in neutralSampling && value !== undefined);
  const { seed, ...sampling }: Partial<Sampling> = Object.fromEntries(asked);
  const isGiven = seed !== undefined && seed !== -1 && seed !== -1n;
  return {
    promptTokenIds: toIds('promptTokenIds', promptTokenIds),
    maxTokens,
    sampling: {
      temperature: neutralSampling.temperature,
      ...sampling,
      seed: isGiven ? seed : randomInt(2 ** 47),
    },
    stopTokenIds: [...toIds('stopTokenIds', stopTokenIds), ...(ignoreStop ? [] : modelStopIds)],
    ignoreStop: false,
    ...(constraint !== undefined && { constraint }),
    ...(logprobs !== undefined && { logprobs }),
    ...(caller !== undefined && { caller }),
    ...(cacheSalt !== undefined && { cacheScope: toCacheScope(cacheSalt) }),
    ...(priority !== undefined && { priority }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

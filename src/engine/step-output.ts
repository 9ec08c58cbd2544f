import type { AppError } from '../base/index.js';
import type { FinishReason, TokenLogprobs } from './request.js';

/** What one step did for one sequence, one token at a time. `tokenId` is absent when a stop id ended it. */
export interface StepOutput {
  readonly sequenceId: number;
  readonly tokenId?: number;
  /** Beside a token, where they were asked for. */
  readonly logprobs?: TokenLogprobs;
  readonly finishReason?: FinishReason;
  /** Beside `stop`, where it was the constraint's end and no stop id. */
  readonly endedByConstraint?: true;
  readonly error?: AppError;
  /** With the first output of a sequence: tokens of its prompt that were found in the prefix cache. */
  readonly cachedTokens?: number;
  /** With the end of a sequence that asked for it: f32 [hiddenSize]. */
  readonly embedding?: Float32Array;
}

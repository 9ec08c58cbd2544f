import type { AppError } from '../base/index.js';
import type { FinishReason, TokenLogprobs } from './request.js';

/** The result of one step for one sequence, one token at a time. `tokenId` is absent when a stop id ended it. */
export interface StepOutput {
  readonly sequenceId: number;
  readonly tokenId?: number;
  /** With a token, if requested. */
  readonly logprobs?: TokenLogprobs;
  readonly finishReason?: FinishReason;
  readonly error?: AppError;
  /** With the first output of a sequence: tokens of its prompt from the prefix cache. */
  readonly cachedTokens?: number;
  /** With the end of a sequence with pooling: f32 [hiddenSize]. */
  readonly embedding?: Float32Array;
}

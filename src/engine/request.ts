/** What goes into the engine and what comes out: token ids only. */

import type { ConstraintSpec } from '../grammar/index.js';
import type { Sampling } from './sampling/sampling.js';

/** One prompt to continue. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** Upper bound of completion tokens; the context may end earlier. At least 1. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  readonly stopTokenIds: readonly number[];
  /** Do not end at stop ids: they are tokens like others. */
  readonly ignoreStop: boolean;
  /** It goes on also where it repeats itself without end; with `ignoreStop` it always does. */
  readonly mayRepeat?: boolean;
  /** Which tokens may come. Its end is an end by `stop`, and no token. */
  readonly constraint?: ConstraintSpec;
  /** Alternatives to give the logprobs of beside each token's own, 0 to 20. Absent: no logprobs. */
  readonly logprobs?: number;
  /**
   * Who asks: callers wait equally long, however much each asks, and one that asks again need not compute the last tokens of
   * what it had asked before. Absent: nobody in particular.
   */
  readonly caller?: string;
  /**
   * Within what it shares cached blocks and what speculation has learned: with the requests of the same scope. Absent: with all
   * that have none. From `toCacheScope`.
   */
  readonly cacheScope?: string;
  /** Higher runs first; default 0. */
  readonly priority?: number;
  /** Milliseconds from submission until it ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number;
  /** Requests of one group have the same prompt and share its computation (n > 1). */
  readonly group?: number;
  /** Nothing is sampled: it ends with the mean of the prompt's hidden states. See `EngineClient.embed`. */
  readonly pooling?: 'mean';
}

/** One prompt to embed; it may fill the context. */
export type EmbedRequest = Pick<
  GenerateRequest,
  'promptTokenIds' | 'caller' | 'cacheScope' | 'priority' | 'deadlineMs'
>;

/** The request of a prompt whose completion nobody wants. */
export function scoring(promptTokenIds: readonly number[]): GenerateRequest {
  const sampling = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 1, sampling, stopTokenIds: [], ignoreStop: true };
}

/** Why a sequence ended: a stop id; or no room left (maxTokens or context), or a repetition without end. */
export type FinishReason = 'stop' | 'length';

/** Log-softmax of the model's own logits: of the token that came, and of the likeliest ones, likeliest first. */
export interface TokenLogprobs {
  /** Of the token that came. */
  readonly logprob: number;
  /** The likeliest tokens in its place. */
  readonly top: readonly {
    /** Which token. */
    readonly tokenId: number;
    /** How likely it was. */
    readonly logprob: number;
  }[];
}

/** Tokens since the last output, in order. The stop id that ended a sequence is not among them, but was computed, and counts. */
export interface SequenceOutput {
  /** The tokens. */
  readonly tokenIds: number[];
  /** One for each of `tokenIds`, where they were asked for. */
  readonly logprobs?: readonly TokenLogprobs[];
  /** With the last output: why it ended. */
  readonly finishReason?: FinishReason;
  /** With `stop`: the constraint came to its end behind the last token, so that no stop id was computed. */
  readonly endedByConstraint?: true;
  /** Tokens of the prompt that need not be computed, because others had the same beginning. With the first output. */
  readonly cachedTokens?: number;
  /** Mean hidden state of the prompt, f32 [hiddenSize]: with the end, where `pooling` asked for it. */
  readonly embedding?: Float32Array;
}

/** Whoever continues prompts: the engine's client, or a script in a test. */
export interface Generator {
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  /** Ends after the output that has a finish reason. An abort rejects with `signal.reason`. */
  generate(request: GenerateRequest, signal?: AbortSignal): AsyncIterable<SequenceOutput>;
}

/** The engine's inputs and outputs: token ids, and rows of prompts that are no tokens. */

import type { ConstraintSpec } from '../grammar/index.js';
import type { Sampling } from './sampling/sampling.js';

/**
 * Rows of a prompt that are no tokens: an image, a sound. The token ids in their place are placeholders, which count as tokens
 * everywhere but in the model and in the prefix cache.
 */
export interface MediaItem {
  /** The index of its first row in the prompt. */
  readonly at: number;
  /** How many it takes. */
  readonly rows: number;
  /** SHA-256 of what `values` were made of, in hex. Items with the same digest have the same values. */
  readonly digest: string;
  /** f32 [rows, hiddenSize]; with `tower` f32 [rows, width of that tower]. */
  readonly values: Float32Array;
  /** The tower that makes the rows of `values`. Absent: these are the rows. */
  readonly tower?: string;
}

/** A name that only equal rows share: items with the same digest, in as many rows, of the same tower. */
export function nameOfRows({ digest, rows, tower = '' }: MediaItem): string {
  return `${digest} ${rows} ${tower}`;
}

/** One prompt to continue. */
export interface GenerateRequest {
  readonly promptTokenIds: readonly number[];
  /** In order of their places, which do not overlap. Absent: all rows are tokens. */
  readonly media?: readonly MediaItem[];
  /** Limit of completion tokens; the context may end earlier. At least 1. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  readonly stopTokenIds: readonly number[];
  /** Do not end at stop ids: they are ordinary tokens. */
  readonly ignoreStop: boolean;
  /** It goes on even where it repeats itself without end; with `ignoreStop` it always does. */
  readonly mayRepeat?: boolean;
  /** The allowed tokens. A constraint ends with `stop`, without a token. */
  readonly constraint?: ConstraintSpec;
  /** Alternatives to give the logprobs of beside each token's own, 0 to 20. Absent: no logprobs. */
  readonly logprobs?: number;
  /**
   * The caller. Callers take turns, however much each asks. A later request of the same caller reuses the last tokens
   * of its earlier one. Absent: all requests without a caller share one.
   */
  readonly caller?: string;
  /**
   * Shares cached blocks and learned speculation with the requests of the same scope. Absent: with all requests without
   * a scope. From `toCacheScope`.
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

/** The request for a prompt's logits or states, without a wanted completion. */
export function scoring(promptTokenIds: readonly number[]): GenerateRequest {
  const sampling = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 1, sampling, stopTokenIds: [], ignoreStop: true };
}

/**
 * Why a sequence ended. stop: a stop id, which was computed and is no token of the output. constraint: its constraint ended after
 * the last token. length: a limit (maxTokens or context), or a repetition without end.
 */
export type FinishReason = 'stop' | 'constraint' | 'length';

/** Log-softmax of the model's own logits: of the chosen token, and of the likeliest ones, likeliest first. */
export interface TokenLogprobs {
  /** Of the chosen token. */
  readonly logprob: number;
  /** The likeliest tokens at its position. */
  readonly top: readonly {
    /** Which token. */
    readonly tokenId: number;
    /** How likely it was. */
    readonly logprob: number;
  }[];
}

/**
 * Tokens since the last output, in order. The stop id that ended a sequence is not among them, but was computed, and
 * counts.
 */
export interface SequenceOutput {
  /** The tokens. */
  readonly tokenIds: number[];
  /** One for each of `tokenIds`, if requested. */
  readonly logprobs?: readonly TokenLogprobs[];
  /** With the last output: why it ended. */
  readonly finishReason?: FinishReason;
  /** Tokens of the prompt from the prefix cache. With the first output. */
  readonly cachedTokens?: number;
  /** Mean hidden state of the prompt, f32 [hiddenSize]: with the end, for requests with `pooling`. */
  readonly embedding?: Float32Array;
}

/** Continues prompts: the engine's client, or a script in a test. */
export interface Generator {
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  /** Ends after the output that has a finish reason. An abort rejects with `signal.reason`. */
  generate(request: GenerateRequest, signal?: AbortSignal): AsyncIterable<SequenceOutput>;
}

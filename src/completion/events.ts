// The events of an answer, independent of any wire format, in this order: begin, choices as they come, end.
import type { ChatDelta } from '../chat/index.js';
import type { ChoiceEnd } from './choices/choice.js';

/** Bytes of a token and its log-probability. */
export interface TokenChance {
  readonly bytes: readonly number[];
  readonly logprob: number;
}

/** A token of the content, and the likeliest alternatives. */
export interface ContentLogprob extends TokenChance {
  readonly top: readonly TokenChance[];
}

/**
 * A piece of a choice: content, reasoning, or a part of a tool call. A piece of content has its tokens, if the request
 * asked for them.
 */
export type CompletionDelta =
  | Exclude<ChatDelta, { readonly type: 'content' }>
  | { readonly type: 'content'; readonly text: string; readonly logprobs?: readonly ContentLogprob[] };

/** Tokens of all choices. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt's tokens, those from the prefix cache. */
  readonly cachedTokens: number;
  /** Of the completion's tokens, those of reasoning. */
  readonly reasoningTokens: number;
}

/** The request has its slots and its prompt is ready: later failures are not the request's fault. */
export interface BeginEvent {
  readonly type: 'begin';
  /** The beginning of each choice's text, in their order. */
  readonly echoes: readonly string[];
  /** The parts of the request's schemas that the answer need not follow: a keyword with its path; each once. */
  readonly unenforced: readonly string[];
  /** Tokens of all prompts, as in the usage at the end. */
  readonly promptTokens: number;
}

/** More of a choice; the last event of one has `end`. */
export interface ChoiceDeltas {
  readonly type: 'choice';
  readonly index: number;
  readonly deltas: readonly CompletionDelta[];
  readonly end?: ChoiceEnd;
}

/** Every choice has ended. */
export interface EndEvent {
  readonly type: 'end';
  readonly usage: TokenUsage;
  /** Token ids of the first choice with its prompt and the token that ended it, if the request asked for them. */
  readonly tokenIds?: readonly number[];
}

/** One event of an answer. */
export type CompletionEvent = BeginEvent | ChoiceDeltas | EndEvent;

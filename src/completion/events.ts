// What comes of a request, in the words of no wire and in this order: begin, choices as they come, end.
import type { ChatDelta } from '../chat/index.js';
import type { ChoiceEnd } from './choices/choice.js';

/** Bytes of a token and how likely it was. */
export interface TokenChance {
  readonly bytes: readonly number[];
  readonly logprob: number;
}

/** A token of the content, and the likeliest in its place. */
export interface ContentLogprob extends TokenChance {
  readonly top: readonly TokenChance[];
}

/** A piece of a choice: content, reasoning, or of a tool call; of content also its tokens, where they were asked for. */
export type CompletionDelta =
  | Exclude<ChatDelta, { readonly type: 'content' }>
  | { readonly type: 'content'; readonly text: string; readonly logprobs?: readonly ContentLogprob[] };

/** What all choices took, in tokens. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt's tokens, those that need not be computed. */
  readonly cachedTokens: number;
  /** Of the completion's, those of reasoning. */
  readonly reasoningTokens: number;
}

/** The request has its places and its prompt is ready: what fails from now on is not its fault. */
export interface BeginEvent {
  readonly type: 'begin';
  /** One for each choice, in their order: what its text begins with. */
  readonly echoes: readonly string[];
  /** What of the request's schemas the answer is not held to: a keyword with its place; each once. */
  readonly unenforced: readonly string[];
  /** Tokens of all prompts: what the usage at the end will say of them. */
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
  /** Of the first choice, its prompt's included, with the token that ended it: where they were asked for. */
  readonly tokenIds?: readonly number[];
}

/** One event of an answer. */
export type CompletionEvent = BeginEvent | ChoiceDeltas | EndEvent;

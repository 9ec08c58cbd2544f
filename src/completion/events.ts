// The events of an answer, independent of any wire format, in this order: begin, choices as they come, end.
import type { Delta } from '../chat/index.js';
import type { FinishReason } from '../engine/index.js';

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

/**
 * Why a choice ended. `length` outranks `toolCalls`, which needs a clean stop and a complete call. To a client the end of a
 * constraint is a stop.
 */
export type ChoiceFinish = Exclude<FinishReason, 'constraint'> | 'toolCalls';

/** The end of one choice, and its tokens. */
export interface ChoiceEnd {
  readonly finishReason: ChoiceFinish;
  /** The stop string of the request that ended it; absent where none did. */
  readonly stopString?: string;
  /** Tokens of the prompt from the prefix cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Of these, the tokens of reasoning. */
  readonly reasoningTokens: number;
}

/** More of a choice. The first event of one comes with its first token and has `begins`; the last has `end`. Both may lack deltas. */
export interface ChoiceDeltas {
  readonly type: 'choice';
  readonly index: number;
  readonly deltas: readonly Delta[];
  readonly begins?: true;
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

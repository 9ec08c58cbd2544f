// The events of an answer, independent of any wire format, in this order: begin, choices as they come, end. The events
// of a completion are such events, and so are those read from another server's answer.

/** Bytes of a token and its log-probability. */
export interface TokenLikelihood {
  readonly bytes: readonly number[];
  readonly logprob: number;
}

/** A token of the content, and the likeliest alternatives. */
export interface ContentToken extends TokenLikelihood {
  readonly top: readonly TokenLikelihood[];
}

/** A piece of an answer. The first piece of a tool call has its name. */
export type AnswerPiece =
  | { readonly type: 'content'; readonly text: string; readonly logprobs?: readonly ContentToken[] }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'toolCall';
      readonly name?: string;
      readonly argumentsText: string;
      /** In the first piece: the call's id, if it has one; absent: the writer makes one. */
      readonly id?: string;
    };

/** Why and with how many tokens an answer ended. */
export interface AnswerStop {
  readonly finishReason: 'stop' | 'length' | 'toolCalls';
  /** The stop string that ended it, where known. */
  readonly stopString?: string;
  readonly completionTokens: number;
}

/** Tokens of an answer: cached tokens are part of the prompt, reasoning tokens part of the completion. */
export interface AnswerTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

/** One event of an answer. */
export type AnswerEvent =
  | { readonly type: 'begin'; readonly promptTokens: number }
  | {
      readonly type: 'choice';
      readonly index: number;
      readonly deltas: readonly AnswerPiece[];
      readonly end?: AnswerStop;
    }
  | { readonly type: 'end'; readonly usage: AnswerTokens };

/** Fields that all objects of one answer share. */
export interface AnswerNames {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  /** A new id for a tool call. */
  readonly newCallId: () => string;
  /** Random text for the ids of an answer's parts. */
  readonly newId: () => string;
  /** The time now, in seconds since 1970. */
  readonly unixSeconds: () => number;
}

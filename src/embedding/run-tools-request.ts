import { callback, oneOf, whole, type OptionTable } from '../base/index.js';
import type { AssistantMessage, ChatCompletionChunk, ChatFinishReason, ToolCall, Usage } from './chat-answers.js';
import { chatOptions, type ChatOptions } from './call-options.js';
import type { ChatMessage } from './chat-messages.js';
import type { ChatCompletionRequest } from './chat-request.js';
import type { RunnableTool } from './runnable-tool.js';

/** Limits of a tool loop, and the handling of tool errors. */
export interface ToolLimits {
  /** The most answers of the model, from 1 on. If the last one calls tools: `tool_limit_exceeded`. Default 10. */
  readonly maxRounds?: number | null | undefined;
  /** The most calls in one answer, 1 to 128. More fail with `tool_limit_exceeded`, and none runs. Default 16. */
  readonly maxCallsPerRound?: number | null | undefined;
  /** The most characters of a result as text. A longer one fails with `tool_result_invalid`. Default 65,536. */
  readonly maxResultLength?: number | null | undefined;
  /**
   * The handling of errors thrown by a tool, unknown tool names and arguments that a schema refuses. `end` rejects with
   * the error. `tell` sends its message to the model as the result and continues. Default `end`.
   */
  readonly toolErrors?: 'end' | 'tell' | null | undefined;
}

/** Fields of a chat request that a tool loop sets itself. */
const SET_HERE = ['tools', 'n', 'stream', 'stream_options', 'logprobs', 'top_logprobs'] as const;

/**
 * A chat request with tools that the library runs. A forced `tool_choice` applies to the first answer only. A format
 * applies to an answer that calls no tool. `Schemas` are those of the tools' arguments.
 */
export interface RunToolsRequest<Schemas extends readonly object[] = readonly object[]>
  extends Omit<ChatCompletionRequest, (typeof SET_HERE)[number]>, ToolLimits {
  /** The tools that the model may call, with unique names. */
  readonly tools: readonly [...{ [Index in keyof Schemas]: RunnableTool<Schemas[Index]> }];
}

/** An answer of the model in the loop. */
export interface ToolRound {
  /** The number of the answer, from 1. */
  readonly round: number;
  /** The text or the calls of the model. */
  readonly message: AssistantMessage;
  /** The reason why it ended. */
  readonly finishReason: ChatFinishReason;
  /** The tokens that it used. */
  readonly usage: Usage;
}

/** A call that is about to run. */
export interface ToolCallEvent {
  /** The number of the answer with the call, from 1. */
  readonly round: number;
  /** The call as the model made it. */
  readonly call: ToolCall;
}

/** A call that has run. */
export interface ToolResultEvent extends ToolCallEvent {
  /** The result that the model receives. */
  readonly content: string;
  /** Whether `content` is the message of an error. */
  readonly isError: boolean;
}

/** Options of a tool loop: abort signal, scheduling and callbacks. An error thrown by a callback ends the loop. */
export interface RunToolsOptions extends Omit<ChatOptions, 'modelName'> {
  /** Called with each chunk of the model's answers, as `stream` yields them. */
  readonly onChunk?: ((chunk: ChatCompletionChunk, round: number) => void) | null | undefined;
  /** Called with each whole answer. */
  readonly onRound?: ((round: ToolRound) => void) | null | undefined;
  /** Called before each call. */
  readonly onCall?: ((event: ToolCallEvent) => void) | null | undefined;
  /** Called with each result. */
  readonly onResult?: ((event: ToolResultEvent) => void) | null | undefined;
}

/** The result of a tool loop. */
export interface RunToolsResult {
  /** The last answer, which calls no tool. */
  readonly message: AssistantMessage;
  /** The reason why it ended; `length` at its limit. */
  readonly finishReason: ChatFinishReason;
  /** The whole conversation: the sent messages, all answers, calls and results. */
  readonly messages: ChatMessage[];
  /** The number of answers, including the last. */
  readonly rounds: number;
  /** The tokens that all answers used together. */
  readonly usage: Usage;
}

const { modelName: _, ...callOptions }: OptionTable<ChatOptions> = chatOptions;

/** The table that checks the options of `runTools`. */
export const runToolsOptions: OptionTable<RunToolsOptions> = {
  ...callOptions,
  onChunk: callback,
  onRound: callback,
  onCall: callback,
  onResult: callback,
};

/** The most calls of a message. */
const MAX_CALLS = 128;

/** The limits in a request. */
export const toolLimits: OptionTable<ToolLimits> = {
  maxRounds: whole(1),
  maxCallsPerRound: whole(1, MAX_CALLS),
  maxResultLength: whole(1),
  toolErrors: oneOf('end', 'tell'),
};

/** Fields that `runTools` refuses. */
export const setByLoop: readonly string[] = SET_HERE.filter((field) => field !== 'tools');

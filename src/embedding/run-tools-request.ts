import { callback, oneOf, whole, type OptionTable } from '../base/index.js';
import type { AssistantMessage, ChatCompletionChunk, ChatFinishReason, ToolCall, Usage } from './chat-answers.js';
import { chatOptions, type ChatOptions } from './call-options.js';
import type { ChatMessage } from './chat-messages.js';
import type { ChatCompletionRequest } from './chat-request.js';
import type { RunnableTool } from './runnable-tool.js';

/** How long a loop of tools may go on, and what an error of a tool means. */
export interface ToolLimits {
  /** The most answers of the model, from 1 on. One more that calls tools is `tool_limit_exceeded`. Default 10. */
  readonly maxRounds?: number | null | undefined;
  /** The most calls in one answer, 1 to 128. More are `tool_limit_exceeded`, and none is carried out. Default 16. */
  readonly maxCallsPerRound?: number | null | undefined;
  /** The most characters of a result as text. A longer one is `tool_result_invalid`. Default 65,536. */
  readonly maxResultLength?: number | null | undefined;
  /**
   * What becomes of an error that a tool throws, of a name that no tool has and of arguments that a schema refuses: `end`
   * rejects with it, `tell` gives the model its message as the result, and goes on. Default `end`.
   */
  readonly toolErrors?: 'end' | 'tell' | null | undefined;
}

/** Fields of a chat request that a loop of tools sets itself. */
const SET_HERE = ['tools', 'n', 'stream', 'stream_options', 'logprobs', 'top_logprobs'] as const;

/**
 * A chat request with tools that are run. A forced `tool_choice` is for the first answer; later ones are free. A format is
 * that of an answer that calls no tool. `Schemas` are those of the tools' arguments.
 */
export interface RunToolsRequest<Schemas extends readonly object[] = readonly object[]>
  extends Omit<ChatCompletionRequest, (typeof SET_HERE)[number]>, ToolLimits {
  /** What the model may call; names differ. */
  readonly tools: readonly [...{ [Index in keyof Schemas]: RunnableTool<Schemas[Index]> }];
}

/** An answer of the model in the loop. */
export interface ToolRound {
  /** Which answer it is, from 1. */
  readonly round: number;
  /** What the model said or called. */
  readonly message: AssistantMessage;
  /** Why it ended. */
  readonly finishReason: ChatFinishReason;
  /** What it took. */
  readonly usage: Usage;
}

/** A call that is about to be carried out. */
export interface ToolCallEvent {
  /** In which answer it was made, from 1. */
  readonly round: number;
  /** The call as the model made it. */
  readonly call: ToolCall;
}

/** A call that was carried out. */
export interface ToolResultEvent extends ToolCallEvent {
  /** The result that the model gets. */
  readonly content: string;
  /** Whether `content` is the message of an error. */
  readonly isError: boolean;
}

/** How a loop of tools is ended and scheduled, and its callbacks. An error thrown by a callback ends the loop. */
export interface RunToolsOptions extends Omit<ChatOptions, 'modelName'> {
  /** Called with each chunk of the model's answers, as `stream` gives them. */
  readonly onChunk?: ((chunk: ChatCompletionChunk, round: number) => void) | null | undefined;
  /** Called with each whole answer. */
  readonly onRound?: ((round: ToolRound) => void) | null | undefined;
  /** Called before each call. */
  readonly onCall?: ((event: ToolCallEvent) => void) | null | undefined;
  /** Called with each result. */
  readonly onResult?: ((event: ToolResultEvent) => void) | null | undefined;
}

/** What came of a loop of tools. */
export interface RunToolsResult {
  /** The last answer, which calls no tool. */
  readonly message: AssistantMessage;
  /** Why it ended: `length` where it was cut. */
  readonly finishReason: ChatFinishReason;
  /** The whole conversation: what was sent, all answers, calls and results. */
  readonly messages: ChatMessage[];
  /** Answers of the model, the last one among them. */
  readonly rounds: number;
  /** What all of them took together. */
  readonly usage: Usage;
}

const { modelName: _, ...callOptions }: OptionTable<ChatOptions> = chatOptions;

/** What `runTools` takes beside the request. */
export const runToolsOptions: OptionTable<RunToolsOptions> = {
  ...callOptions,
  onChunk: callback,
  onRound: callback,
  onCall: callback,
  onResult: callback,
};

/** As many calls as a message may have. */
const MAX_CALLS = 128;

/** The limits in a request. */
export const toolLimits: OptionTable<ToolLimits> = {
  maxRounds: whole(1),
  maxCallsPerRound: whole(1, MAX_CALLS),
  maxResultLength: whole(1),
  toolErrors: oneOf('end', 'tell'),
};

/** Fields that are refused beside tools that are run. */
export const setByLoop: readonly string[] = SET_HERE.filter((field) => field !== 'tools');

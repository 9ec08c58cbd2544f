// Answers as a program reads them: OpenAI's shapes, with what is always there not optional. Arrays may be changed: the answer
// is the caller's own.

/** A function's call as the model made it. */
export interface ToolCall {
  /** What the message with its result calls it by. */
  id: string;
  /** What kind of call it is. */
  type: 'function';
  /** What is called. */
  function: {
    /** The function's name. */
    name: string;
    /** Its arguments as JSON text. */
    arguments: string;
  };
}

/** The assistant's turn. It may be sent back in `messages` as it is. */
export interface AssistantMessage {
  /** Who speaks. */
  role: 'assistant';
  /** What is said; null where there are only tool calls. */
  content: string | null;
  /** Always null: a model here answers. */
  refusal: null;
  /** What was thought. */
  reasoning_content?: string;
  /** The calls that it made, at least one. */
  tool_calls?: ToolCall[];
}

/** A token with its log-probability. */
export interface TokenAlternative {
  /** Its text; U+FFFD for a part of a character. */
  token: string;
  /** Its natural logarithm of probability; −9999 for none at all. */
  logprob: number;
  /** Its bytes, which may be part of a character. */
  bytes: number[];
}

/** One token of the content, and what else might have come in its place. */
export interface TokenLogprob extends TokenAlternative {
  /** The likeliest tokens in its place, likeliest first. */
  top_logprobs: TokenAlternative[];
}

/** The log-probabilities of a choice or a chunk. */
export interface ChoiceLogprobs {
  /** Its content's tokens in order, whose bytes joined are the content. */
  content: TokenLogprob[];
  /** Always null. */
  refusal: null;
}

/** What a completion took, in tokens. */
export interface Usage {
  /** Tokens of the prompt. */
  prompt_tokens: number;
  /** Tokens of all choices, reasoning among them. */
  completion_tokens: number;
  /** Both together. */
  total_tokens: number;
  /** Of the prompt's tokens. */
  prompt_tokens_details: {
    /** Those that need not be computed. */
    cached_tokens: number;
  };
  /** Of the completion's tokens. */
  completion_tokens_details: {
    /** Those of reasoning. */
    reasoning_tokens: number;
  };
}

/** Why a choice ended: by itself or a stop string, at a limit, or with calls to be carried out. */
export type ChatFinishReason = 'stop' | 'length' | 'tool_calls';

/** One of the answers to a request. */
export interface ChatChoice {
  /** Its place among them, from 0. */
  index: number;
  /** The answer. */
  message: AssistantMessage;
  /** Null unless they were asked for. */
  logprobs: ChoiceLogprobs | null;
  /** Why it ended. */
  finish_reason: ChatFinishReason;
}

/** A whole answer. */
export interface ChatCompletion {
  /** Another one for each answer. */
  id: string;
  /** What this is. */
  object: 'chat.completion';
  /** When it began, in seconds since 1970. */
  created: number;
  /** The model's id. */
  model: string;
  /** Names the build and the weights. */
  system_fingerprint: string;
  /** As many as `n` asked for, by their index. */
  choices: ChatChoice[];
  /** What it took. */
  usage: Usage;
}

/** A piece of a tool call. */
export interface ToolCallDelta {
  /** Which call of the choice it is a piece of. */
  index: number;
  /** With a call's first piece. */
  id?: string;
  /** With a call's first piece. */
  type?: 'function';
  /** What is called. */
  function: {
    /** With a call's first piece. */
    name?: string;
    /** More of the arguments' JSON text. */
    arguments: string;
  };
}

/** What a chunk adds to a choice: one of these, or nothing in the chunk that ends it. */
export interface ChunkDelta {
  /** With the first chunk. */
  role?: 'assistant';
  /** More of what is said. */
  content?: string;
  /** More of what is thought. */
  reasoning_content?: string;
  /** More of the calls. */
  tool_calls?: ToolCallDelta[];
}

/** What a chunk says of one choice. */
export interface ChunkChoice {
  /** Which choice. */
  index: number;
  /** What is added to it. */
  delta: ChunkDelta;
  /** Of the content that is added; null unless they were asked for. */
  logprobs: ChoiceLogprobs | null;
  /** Null until the chunk that ends the choice. */
  finish_reason: ChatFinishReason | null;
}

/** One event of a streamed answer. */
export interface ChatCompletionChunk {
  /** The answer's, the same in all of its chunks. */
  id: string;
  /** What this is. */
  object: 'chat.completion.chunk';
  /** When the answer began, in seconds since 1970. */
  created: number;
  /** The model's id. */
  model: string;
  /** Names the build and the weights. */
  system_fingerprint: string;
  /** One, or none in the chunk with the usage. */
  choices: ChunkChoice[];
  /** With `stream_options.include_usage`: null until the last chunk, which has it. */
  usage?: Usage | null;
}

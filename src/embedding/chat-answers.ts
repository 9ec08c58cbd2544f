// Answers as a program reads them: OpenAI's shapes, except that fields which are always present are not optional.
// A caller owns its answer and may change the arrays.

/** A function's call as the model made it. */
export interface ToolCall {
  /** The id by which the message with its result refers to it. */
  id: string;
  /** The kind of call. */
  type: 'function';
  /** The called function. */
  function: {
    /** The function's name. */
    name: string;
    /** Its arguments as JSON text. */
    arguments: string;
  };
}

/** The assistant's turn. It may be sent back in `messages` as it is. */
export interface AssistantMessage {
  /** The role of the speaker. */
  role: 'assistant';
  /** The text; null if there are only tool calls. */
  content: string | null;
  /** Always null. */
  refusal: null;
  /** The text of the reasoning. */
  reasoning_content?: string;
  /** The calls of the answer, at least one. */
  tool_calls?: ToolCall[];
}

/** A token with its log-probability. */
export interface TokenAlternative {
  /** Its text; U+FFFD for a part of a character. */
  token: string;
  /** Natural logarithm of its probability; −9999 for probability 0. */
  logprob: number;
  /** Its bytes, possibly only part of a character. */
  bytes: number[];
}

/** One token of the content with its alternatives. */
export interface TokenLogprob extends TokenAlternative {
  /** The likeliest tokens at this position, likeliest first. */
  top_logprobs: TokenAlternative[];
}

/** The log-probabilities of a choice or a chunk. */
export interface ChoiceLogprobs {
  /** The tokens of the content in order. Their joined bytes are the content. */
  content: TokenLogprob[];
  /** Always null. */
  refusal: null;
}

/** Tokens that a completion used. */
export interface Usage {
  /** Tokens of the prompt. */
  prompt_tokens: number;
  /** Tokens of all choices, including reasoning. */
  completion_tokens: number;
  /** Prompt and completion together. */
  total_tokens: number;
  /** Parts of the prompt's tokens. */
  prompt_tokens_details: {
    /** Tokens that came from the cache and were not computed. */
    cached_tokens: number;
  };
  /** Parts of the completion's tokens. */
  completion_tokens_details: {
    /** Tokens of reasoning. */
    reasoning_tokens: number;
  };
}

/** The reason why a choice ended: its own end or a stop string, a limit, or tool calls. */
export type ChatFinishReason = 'stop' | 'length' | 'tool_calls';

/** One of the answers to a request. */
export interface ChatChoice {
  /** Its index among the choices, from 0. */
  index: number;
  /** The answer. */
  message: AssistantMessage;
  /** Null unless the request asked for them. */
  logprobs: ChoiceLogprobs | null;
  /** The reason why it ended. */
  finish_reason: ChatFinishReason;
}

/** A whole answer. */
export interface ChatCompletion {
  /** The id of the answer, unique for each answer. */
  id: string;
  /** The type of the object. */
  object: 'chat.completion';
  /** The time at which the answer began, in seconds since 1970. */
  created: number;
  /** The model's id. */
  model: string;
  /** Identifies the build and the weights. */
  system_fingerprint: string;
  /** The `n` choices, ordered by index. */
  choices: ChatChoice[];
  /** The tokens that it used. */
  usage: Usage;
}

/** A piece of a tool call. */
export interface ToolCallDelta {
  /** The index of the call in the choice. */
  index: number;
  /** Only in the first piece of a call. */
  id?: string;
  /** Only in the first piece of a call. */
  type?: 'function';
  /** The called function. */
  function: {
    /** Only in the first piece of a call. */
    name?: string;
    /** More of the arguments' JSON text. */
    arguments: string;
  };
}

/** The part of a choice that a chunk adds: one of these fields, or none in the chunk that ends the choice. */
export interface ChunkDelta {
  /** Only in the first chunk. */
  role?: 'assistant';
  /** More of the text. */
  content?: string;
  /** More of the reasoning. */
  reasoning_content?: string;
  /** More of the calls. */
  tool_calls?: ToolCallDelta[];
}

/** The part of a chunk that concerns one choice. */
export interface ChunkChoice {
  /** The index of the choice. */
  index: number;
  /** The part that the chunk adds. */
  delta: ChunkDelta;
  /** The log-probabilities of the added content; null unless the request asked for them. */
  logprobs: ChoiceLogprobs | null;
  /** Null until the chunk that ends the choice. */
  finish_reason: ChatFinishReason | null;
}

/** One event of a streamed answer. */
export interface ChatCompletionChunk {
  /** The id of the answer, the same in all its chunks. */
  id: string;
  /** The type of the object. */
  object: 'chat.completion.chunk';
  /** The time at which the answer began, in seconds since 1970. */
  created: number;
  /** The model's id. */
  model: string;
  /** Identifies the build and the weights. */
  system_fingerprint: string;
  /** One choice, or none in the chunk with the usage. */
  choices: ChunkChoice[];
  /** With `stream_options.include_usage`: null in every chunk but the last, which has the usage. */
  usage?: Usage | null;
}

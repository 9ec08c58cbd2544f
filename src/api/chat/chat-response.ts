import { Type } from '../../schema/index.js';
import { ChoiceLogprobs } from './chat-logprobs.js';
import { CustomToolCall, ToolCall } from './chat-message.js';

/** Why a completion ended. `length` beats `tool_calls`, which needs a clean stop and a complete call. */
export const FinishReason = Type.Enum(['stop', 'length', 'tool_calls']);
export type FinishReason = Type.Static<typeof FinishReason>;

/** Tokens of a completion. Reasoning is part of the completion, cached tokens are part of the prompt. */
export const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
});
export type Usage = Type.Static<typeof Usage>;

/** A call of the answer. The static type is the function's: custom tools exist only on the wire. */
const AnsweredCall = Type.Unsafe<ToolCall>(Type.Union([ToolCall, CustomToolCall]));

/** The assistant's turn. `content` is null, not absent, when there are only tool calls; `tool_calls` is never empty. */
export const AssistantMessage = Type.Object({
  role: Type.Enum(['assistant']),
  content: Type.Union([Type.String(), Type.Null()]),
  refusal: Type.Null(),
  reasoning_content: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(AnsweredCall, { minItems: 1 })),
});
export type AssistantMessage = Type.Static<typeof AssistantMessage>;

/** A whole answer. `created` in seconds since 1970. */
export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Enum(['chat.completion']),
  created: Type.Integer(),
  model: Type.String(),
  system_fingerprint: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: AssistantMessage,
      logprobs: Type.Union([ChoiceLogprobs, Type.Null()]),
      finish_reason: FinishReason,
    }),
  ),
  usage: Usage,
});
export type ChatCompletion = Type.Static<typeof ChatCompletion>;

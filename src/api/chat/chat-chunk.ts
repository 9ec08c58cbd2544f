import { Type } from '../../schema/index.js';
import { ChoiceLogprobs } from './chat-logprobs.js';
import { FinishReason, Usage } from './chat-response.js';

/** A piece of a tool call. Only a call's first piece has id, type and name: SDKs refuse them later. */
const FunctionDelta = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Enum(['function'])),
  function: Type.Object({ name: Type.Optional(Type.String()), arguments: Type.String() }),
});
export type ToolCallDelta = Type.Static<typeof FunctionDelta>;

/** The same for a custom tool. */
const CustomDelta = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Enum(['custom'])),
  custom: Type.Object({ name: Type.Optional(Type.String()), input: Type.String() }),
});

/** Either of them. The static type is the function's: custom tools exist only on the wire. */
export const ToolCallDelta = Type.Unsafe<ToolCallDelta>(Type.Union([FunctionDelta, CustomDelta]));

/** The addition of a chunk to the answer: one of its fields, or nothing in the chunk that ends the choice. */
export const ChunkDelta = Type.Object({
  role: Type.Optional(Type.Enum(['assistant'])),
  content: Type.Optional(Type.String()),
  reasoning_content: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCallDelta)),
});
export type ChunkDelta = Type.Static<typeof ChunkDelta>;

/** One event of a streamed answer. `usage` is null until the last chunk, which has it only if the request asked for it. */
export const ChatCompletionChunk = Type.Object({
  id: Type.String(),
  object: Type.Enum(['chat.completion.chunk']),
  created: Type.Integer(),
  model: Type.String(),
  system_fingerprint: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: ChunkDelta,
      logprobs: Type.Union([ChoiceLogprobs, Type.Null()]),
      finish_reason: Type.Union([FinishReason, Type.Null()]),
    }),
  ),
  usage: Type.Optional(Type.Union([Usage, Type.Null()])),
});
export type ChatCompletionChunk = Type.Static<typeof ChatCompletionChunk>;

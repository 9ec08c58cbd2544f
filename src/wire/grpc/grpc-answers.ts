// Answers over gRPC in the JSON form of their messages. Finish reasons are the numbers of chat.proto.
import { TokenLogprob } from '../../api/index.js';
import type { ChoiceFinish, TokenUsage } from '../../completion/index.js';
import { Type } from '../../schema/index.js';

const Count = Type.Integer({ minimum: 0 });
const FinishReason = Type.Integer({ minimum: 1, maximum: 3 });

const Usage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  cached_tokens: Count,
  reasoning_tokens: Count,
});
export type GrpcUsage = Type.Static<typeof Usage>;

const ToolCall = Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.String() });
const head = {
  id: Type.String(),
  created: Type.Integer(),
  model: Type.String(),
  system_fingerprint: Type.String(),
};

/** `ChatChunk` of chat.proto: one of the members. */
export const GrpcChatChunk = Type.Object({
  begin: Type.Optional(
    Type.Object({ ...head, prompt_tokens: Count, choices: Count, unenforced: Type.Array(Type.String()) }),
  ),
  delta: Type.Optional(
    Type.Object({
      index: Count,
      content: Type.Optional(Type.String()),
      reasoning_content: Type.Optional(Type.String()),
      tool_call: Type.Optional(
        Type.Object({
          index: Count,
          id: Type.Optional(Type.String()),
          name: Type.Optional(Type.String()),
          arguments: Type.String(),
        }),
      ),
      logprobs: Type.Optional(Type.Array(TokenLogprob)),
    }),
  ),
  end: Type.Optional(Type.Object({ index: Count, finish_reason: FinishReason })),
  usage: Type.Optional(Usage),
});
export type GrpcChatChunk = Type.Static<typeof GrpcChatChunk>;

/** `ChatCompletion` of chat.proto. */
export const GrpcChatCompletion = Type.Object({
  ...head,
  choices: Type.Array(
    Type.Object({
      index: Count,
      message: Type.Object({
        role: Type.Enum(['assistant']),
        content: Type.String(),
        reasoning_content: Type.Optional(Type.String()),
        tool_calls: Type.Optional(Type.Array(ToolCall)),
      }),
      finish_reason: FinishReason,
      logprobs: Type.Optional(Type.Array(TokenLogprob)),
    }),
  ),
  usage: Usage,
  unenforced: Type.Array(Type.String()),
});
export type GrpcChatCompletion = Type.Static<typeof GrpcChatCompletion>;

/** The numbers of `FinishReason` of chat.proto, of choices and of sequences. */
export const grpcFinishReasons: Readonly<Record<ChoiceFinish | 'constraint', number>> = {
  stop: 1,
  constraint: 1,
  length: 2,
  toolCalls: 3,
};

/** The usage of an answer. */
export function toGrpcUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage): GrpcUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cached_tokens: cachedTokens,
    reasoning_tokens: reasoningTokens,
  };
}

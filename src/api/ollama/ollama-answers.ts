// Answers of Ollama's API to chat and text. Source: ollama/ollama, api/types.go.
import { Type } from '../../schema/index.js';
import { TokenLogprob } from '../chat/chat-logprobs.js';

/** A call by the model; its arguments are an object. */
export const OllamaToolCall = Type.Object({
  id: Type.String(),
  function: Type.Object({
    index: Type.Integer(),
    name: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown()),
  }),
});
export type OllamaToolCall = Type.Static<typeof OllamaToolCall>;

/** Tokens and times of an answer, sent at its end; times in nanoseconds. */
const metrics = {
  total_duration: Type.Optional(Type.Integer()),
  load_duration: Type.Optional(Type.Integer()),
  prompt_eval_count: Type.Optional(Type.Integer()),
  prompt_eval_duration: Type.Optional(Type.Integer()),
  eval_count: Type.Optional(Type.Integer()),
  eval_duration: Type.Optional(Type.Integer()),
};
export type OllamaMetrics = { readonly [Name in keyof typeof metrics]-?: number };

const common = {
  model: Type.String(),
  /** RFC 3339 with nanoseconds, in UTC. */
  created_at: Type.String(),
  done: Type.Boolean(),
  done_reason: Type.Optional(Type.Enum(['stop', 'length', 'load', 'unload'])),
  logprobs: Type.Optional(Type.Array(TokenLogprob)),
  ...metrics,
};
/** Why an answer ended. */
export type OllamaDoneReason = NonNullable<Type.Static<typeof common.done_reason>>;

/** An answer of `/api/chat`, or a piece of one; the last piece has `done`. */
export const OllamaChatAnswer = Type.Object({
  ...common,
  message: Type.Object({
    role: Type.Enum(['assistant']),
    content: Type.String(),
    thinking: Type.Optional(Type.String()),
    tool_calls: Type.Optional(Type.Array(OllamaToolCall)),
  }),
});
export type OllamaChatAnswer = Type.Static<typeof OllamaChatAnswer>;

/** An answer of `/api/generate`, or a piece of one; the last piece has `done`. */
export const OllamaGenerateAnswer = Type.Object({
  ...common,
  response: Type.String(),
  thinking: Type.Optional(Type.String()),
  /** Token ids of prompt and answer. */
  context: Type.Optional(Type.Array(Type.Integer())),
});
export type OllamaGenerateAnswer = Type.Static<typeof OllamaGenerateAnswer>;

/** The body of every failed answer, and the last line of a stream that failed. */
export const OllamaError = Type.Object({ error: Type.String() });
export type OllamaError = Type.Static<typeof OllamaError>;

// Requests of Ollama's API. Source: ollama/ollama, api/types.go.
import { Type } from '../../schema/index.js';
import { Tool } from '../chat/chat-request.js';
import { MAX_MESSAGES, MAX_TOOL_CALLS, MAX_TOOLS, MAX_TOP_LOGPROBS } from '../limits.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const Images = Type.Union([Type.Array(Type.String()), Type.Null()]);

/** A call of an assistant's message. Arguments are an object; some clients send it as JSON text. */
const OllamaSentCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    index: Type.Optional(Type.Integer()),
    name: Type.String(),
    arguments: Type.Optional(Type.Union([JsonObject, Type.String(), Type.Null()])),
  }),
});

/** One turn of a conversation, as clients send it. The role may be in capitals. */
export const OllamaMessage = Type.Object({
  role: Type.String(),
  content: Type.Optional(TextOrNull),
  thinking: Type.Optional(TextOrNull),
  images: Type.Optional(Images),
  tool_calls: Type.Optional(Type.Union([Type.Array(OllamaSentCall, { maxItems: MAX_TOOL_CALLS }), Type.Null()])),
  tool_name: Type.Optional(TextOrNull),
  tool_call_id: Type.Optional(TextOrNull),
});
export type OllamaMessage = Type.Static<typeof OllamaMessage>;

/** How long a model stays in memory: seconds, or a duration in Go's notation; below 0 means for ever. */
const KeepAlive = Type.Union([Type.Number(), Type.String()]);

/** Common fields of requests for chat and for text. */
const commonFields = {
  model: Type.Optional(Type.String()),
  /** Default true. */
  stream: Type.Optional(Type.Boolean()),
  /** `json`, or a JSON Schema. */
  format: Type.Optional(Type.Union([Type.String(), JsonObject])),
  keep_alive: Type.Optional(KeepAlive),
  /** Sampling and limits; unknown options are ignored. */
  options: Type.Optional(JsonObject),
  think: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
  truncate: Type.Optional(Type.Boolean()),
  shift: Type.Optional(Type.Boolean()),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOP_LOGPROBS })),
  /** true: fields that the model's template does not use are left out. Default false: they are refused. */
  drop_unsupported: Type.Optional(Type.Boolean()),
};

/** `POST /api/chat`. Without messages it loads or unloads the model. */
export const OllamaChatRequest = Type.Object({
  ...commonFields,
  messages: Type.Optional(Type.Array(OllamaMessage, { maxItems: MAX_MESSAGES })),
  tools: Type.Optional(Type.Array(Tool, { maxItems: MAX_TOOLS })),
});
export type OllamaChatRequest = Type.Static<typeof OllamaChatRequest>;

/** `POST /api/generate`. Without a prompt it loads or unloads the model. */
export const OllamaGenerateRequest = Type.Object({
  ...commonFields,
  prompt: Type.Optional(Type.String()),
  suffix: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  /** Token ids of an earlier answer, which this one continues. */
  context: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  /** The prompt is used without the template. */
  raw: Type.Optional(Type.Boolean()),
  images: Type.Optional(Images),
});
export type OllamaGenerateRequest = Type.Static<typeof OllamaGenerateRequest>;

/** The fields that both requests share. */
export type OllamaCommonRequest = Pick<OllamaChatRequest, keyof typeof commonFields>;

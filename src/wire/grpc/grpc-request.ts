// Requests over gRPC in the JSON form of their messages: absent fields stay absent.
import {
  CacheSalt,
  MAX_CHOICE_TEXT,
  MAX_CHOICE_TEXTS,
  MAX_CHOICES,
  MAX_GRAMMAR_TEXT,
  MAX_MESSAGES,
  MAX_STOPS,
  MAX_TOOL_CALLS,
  MAX_TOOL_NAME,
  MAX_TOOLS,
  MAX_TOP_LOGPROBS,
  samplingFields,
  StopString,
} from '../../api/index.js';
import { Type } from '../../schema/index.js';
import { samplerFields } from '../sampler-fields.js';

const Text = Type.Optional(Type.String());
const Flag = Type.Optional(Type.Boolean());
/** A JSON text within a message. */
const JsonText = Type.String({ maxLength: MAX_GRAMMAR_TEXT });
const Count = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 });
const { repeat_penalty: _, ...samplers } = samplerFields;

/** How tokens are chosen. */
export const GrpcSampling = Type.Object({
  ...samplers,
  seed: samplingFields.seed,
  logit_bias: samplingFields.logit_bias,
  stop_token_ids: samplingFields.stop_token_ids,
  ignore_eos: samplingFields.ignore_eos,
  dry_sequence_breakers: samplingFields.dry_sequence_breakers,
});
export type GrpcSampling = Type.Static<typeof GrpcSampling>;

/** One turn of a conversation. */
const GrpcMessage = Type.Object({
  role: Type.Enum(['developer', 'system', 'user', 'assistant', 'tool']),
  content: Text,
  name: Text,
  reasoning_content: Text,
  tool_calls: Type.Optional(
    Type.Array(Type.Object({ id: Text, name: Type.String(), arguments: Text }), { maxItems: MAX_TOOL_CALLS }),
  ),
  tool_call_id: Text,
});
export type GrpcMessage = Type.Static<typeof GrpcMessage>;

/** A function that the model may call. */
const GrpcTool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }),
  description: Text,
  parameters: Type.Optional(JsonText),
  strict: Flag,
});
export type GrpcTool = Type.Static<typeof GrpcTool>;

/** Modes of a tool choice, by their numbers in chat.proto. */
export const toolModes = { unspecified: 0, auto: 1, none: 2, required: 3 } as const;

/** The required form of an answer: one of the members. */
const GrpcFormat = Type.Object({
  json_object: Flag,
  json_schema: Type.Optional(Type.Object({ name: Text, schema: JsonText, strict: Flag })),
  regex: Type.Optional(JsonText),
  grammar: Type.Optional(JsonText),
  choice: Type.Optional(
    Type.Object({
      texts: Type.Array(Type.String({ minLength: 1, maxLength: MAX_CHOICE_TEXT }), {
        minItems: 1,
        maxItems: MAX_CHOICE_TEXTS,
      }),
    }),
  ),
});
export type GrpcFormat = Type.Static<typeof GrpcFormat>;

/** `ChatRequest` of chat.proto. `stream` is not a field of the message: the called method decides it. */
export const GrpcChatRequest = Type.Object({
  model: Text,
  stream: Flag,
  messages: Type.Array(GrpcMessage, { minItems: 1, maxItems: MAX_MESSAGES }),
  tools: Type.Optional(Type.Array(GrpcTool, { maxItems: MAX_TOOLS })),
  tool_choice: Type.Optional(
    Type.Object({
      mode: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
      names: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_TOOLS })),
    }),
  ),
  parallel_tool_calls: Flag,
  max_tokens: Type.Optional(Count),
  sampling: Type.Optional(GrpcSampling),
  stop: Type.Optional(Type.Array(StopString, { maxItems: MAX_STOPS })),
  include_stop_str_in_output: Flag,
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CHOICES })),
  logprobs: Flag,
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOP_LOGPROBS })),
  response_format: Type.Optional(GrpcFormat),
  thinking: Type.Optional(Type.Object({ enabled: Flag, budget_tokens: Type.Optional(Count), hidden: Flag })),
  chat_template_kwargs: Type.Optional(JsonText),
  drop_unsupported: Flag,
  parse_special: Flag,
  cache_salt: Type.Optional(CacheSalt),
});
export type GrpcChatRequest = Type.Static<typeof GrpcChatRequest>;

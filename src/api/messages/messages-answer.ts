import { Type, type TSchema } from '../../schema/index.js';

const Nothing = Type.Null();

/** A text of the answer. There are no citations: nothing is looked up. */
export const TextBlock = Type.Object({ type: Type.Enum(['text']), text: Type.String(), citations: Nothing });
export type TextBlock = Type.Static<typeof TextBlock>;

/** The model's thinking. The signature is empty: a client may have changed a block that it sends back. */
export const ThinkingBlock = Type.Object({
  type: Type.Enum(['thinking']),
  thinking: Type.String(),
  signature: Type.Enum(['']),
});
export type ThinkingBlock = Type.Static<typeof ThinkingBlock>;

/** A call of a client's tool. */
export const ToolUseBlock = Type.Object({
  type: Type.Enum(['tool_use']),
  id: Type.String(),
  name: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
  /** The caller is the model itself, not a program that it wrote. */
  caller: Type.Object({ type: Type.Enum(['direct']) }),
});
export type ToolUseBlock = Type.Static<typeof ToolUseBlock>;

/** One block of an answer. */
export const ContentBlock = Type.Union([TextBlock, ThinkingBlock, ToolUseBlock]);
export type ContentBlock = Type.Static<typeof ContentBlock>;

/** Why an answer ended. */
const StopReason = Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded']);
export type StopReason = Type.Static<typeof StopReason>;

const countFields = {
  /** Without cached tokens. */
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cache_creation_input_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
  output_tokens_details: Type.Union([Type.Object({ thinking_tokens: Type.Integer() }), Nothing]),
  server_tool_use: Nothing,
};

/** Tokens until the end of a stream. */
export const MessagesDeltaUsage = Type.Object(countFields);
export type MessagesDeltaUsage = Type.Static<typeof MessagesDeltaUsage>;

/** Tokens of an answer. */
export const MessagesUsage = Type.Object({
  ...countFields,
  cache_creation: Nothing,
  inference_geo: Nothing,
  service_tier: Type.Enum(['standard']),
  speed: Nothing,
});
export type MessagesUsage = Type.Static<typeof MessagesUsage>;

const TextOrNull = Type.Union([Type.String(), Nothing]);
const StopReasonOrNull = Type.Union([StopReason, Nothing]);

/** An answer. `stop_reason` is null in the first event of a stream only. */
export const MessageAnswer = Type.Object({
  id: Type.String(),
  type: Type.Enum(['message']),
  role: Type.Enum(['assistant']),
  model: Type.String(),
  content: Type.Array(ContentBlock),
  stop_reason: StopReasonOrNull,
  stop_sequence: TextOrNull,
  stop_details: Nothing,
  container: Nothing,
  diagnostics: Nothing,
  usage: MessagesUsage,
});
export type MessageAnswer = Type.Static<typeof MessageAnswer>;

/** A schema of an event by its name. */
function event<Name extends string, Fields extends Record<string, TSchema>>(name: Name, fields: Fields) {
  return Type.Object({ type: Type.Enum([name]), ...fields });
}

const Delta = Type.Union([
  event('text_delta', { text: Type.String() }),
  event('thinking_delta', { thinking: Type.String() }),
  event('signature_delta', { signature: Type.Enum(['']) }),
  event('input_json_delta', { partial_json: Type.String() }),
]);

/** One event of a streamed answer. Source: Anthropic's API documentation, streaming messages. */
export const MessagesEvent = Type.Union([
  event('message_start', { message: MessageAnswer }),
  event('content_block_start', { index: Type.Integer(), content_block: ContentBlock }),
  event('content_block_delta', { index: Type.Integer(), delta: Delta }),
  event('content_block_stop', { index: Type.Integer() }),
  event('message_delta', {
    delta: Type.Object({
      stop_reason: StopReason,
      stop_sequence: TextOrNull,
      stop_details: Nothing,
      container: Nothing,
    }),
    usage: MessagesDeltaUsage,
  }),
  event('message_stop', {}),
]);
export type MessagesEvent = Type.Static<typeof MessagesEvent>;

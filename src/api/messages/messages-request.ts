import { Type } from '../../schema/index.js';
import { formatFields } from '../fields/format-fields.js';
import { StopString } from '../fields/limit-fields.js';
import { promptFields } from '../fields/prompt-fields.js';
import { samplingFields } from '../fields/sampling-fields.js';
import { MAX_MESSAGES, MAX_PARTS, MAX_STOPS, MAX_TOOLS } from '../limits.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const { logprobs: _, top_logprobs: __, n: ___, ...sampling } = samplingFields;
const { response_format: ____, ...formats } = formatFields;

/** A block within the result of a tool, or of a system prompt. Only `text` is supported; the parser names the others. */
export const TextBlockParam = Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) });
export type TextBlockParam = Type.Static<typeof TextBlockParam>;

const TextOrBlocks = Type.Union([Type.String(), Type.Array(TextBlockParam, { maxItems: MAX_PARTS })]);

/**
 * One block of a message, with the fields of every supported type: text, calls, results, thinking. The type decides
 * which fields a block must have, and the parser checks that.
 */
export const ContentBlockParam = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  input: Type.Optional(JsonObject),
  tool_use_id: Type.Optional(Type.String()),
  content: Type.Optional(Type.Union([TextOrBlocks, Type.Null()])),
  thinking: Type.Optional(Type.String()),
});
export type ContentBlockParam = Type.Static<typeof ContentBlockParam>;

/** One turn. */
export const MessageParam = Type.Object({
  role: Type.Enum(['user', 'assistant', 'system']),
  content: Type.Union([Type.String(), Type.Array(ContentBlockParam, { maxItems: MAX_PARTS })]),
});
export type MessageParam = Type.Static<typeof MessageParam>;

/** A tool in a request. Only client tools are supported; the parser names the others. */
export const MessagesTool = Type.Object({
  type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** A JSON Schema; the template gets it unchanged. */
  input_schema: Type.Optional(JsonObject),
  strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
export type MessagesTool = Type.Static<typeof MessagesTool>;

/** Effort and format of an answer. */
const OutputConfig = Type.Object({
  effort: Type.Optional(Type.Union([Type.Enum(['low', 'medium', 'high', 'xhigh', 'max']), Type.Null()])),
  format: Type.Optional(
    Type.Union([Type.Object({ type: Type.String(), schema: Type.Optional(JsonObject) }), Type.Null()]),
  ),
});

/** The fields of the prompt, which both routes take. */
export const messagesPromptFields = {
  model: Type.Optional(Type.String()),
  system: Type.Optional(TextOrBlocks),
  messages: Type.Array(MessageParam, { minItems: 1, maxItems: MAX_MESSAGES }),
  tools: Type.Optional(Type.Array(MessagesTool, { maxItems: MAX_TOOLS })),
  tool_choice: Type.Optional(
    Type.Object({
      type: Type.String(),
      name: Type.Optional(Type.String()),
      disable_parallel_tool_use: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  ),
  output_config: Type.Optional(OutputConfig),
  ...promptFields,
  thinking: Type.Optional(
    Type.Object({
      ...promptFields.thinking.properties,
      /** `omitted`: reasoning is counted but not returned. */
      display: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
};

/**
 * The supported fields of a request; `wire` adds those of samplers. A top-level null means absent. Fields that change
 * no answer here are accepted: `metadata`, `service_tier`, `cache_control` and others.
 */
export const messagesRequestFields = {
  ...messagesPromptFields,
  stream: Type.Optional(Type.Boolean()),
  max_tokens: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  stop_sequences: Type.Optional(Type.Array(StopString, { maxItems: MAX_STOPS })),
  ...sampling,
  ...formats,
};

/** A request for the tokens of a prompt. */
export const MessagesCountRequest = Type.Object(messagesPromptFields);
export type MessagesCountRequest = Type.Static<typeof MessagesCountRequest>;

/** Its answer. */
export const MessagesCount = Type.Object({ input_tokens: Type.Integer() });
export type MessagesCount = Type.Static<typeof MessagesCount>;

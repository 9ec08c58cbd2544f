import { Type } from '../../schema/index.js';
import { formatFields } from '../fields/format-fields.js';
import { StopStrings, TokenLimit } from '../fields/limit-fields.js';
import { promptFields } from '../fields/prompt-fields.js';
import { samplingFields } from '../fields/sampling-fields.js';
import { MAX_INCLUDES, MAX_MESSAGES, MAX_METADATA, MAX_METADATA_LENGTH, MAX_TOOLS } from '../limits.js';
import { InputItem } from './responses-input.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const { logprobs: _, n: __, ...sampling } = samplingFields;
const { response_format: ___, ...formats } = formatFields;

/** A tool in a request: a function, a custom tool, which takes one text, or a group of them. Others are ignored. */
export const ResponsesTool = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** A JSON Schema; the template gets it unchanged. */
  parameters: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  /** Of a custom tool: the format of its text. */
  format: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  /** The tools of a group; a group has the type `namespace`. */
  tools: Type.Optional(Type.Array(JsonObject, { maxItems: MAX_TOOLS })),
});
export type ResponsesTool = Type.Static<typeof ResponsesTool>;

/** The required format of the answer's text. */
export const TextFormat = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  schema: Type.Optional(JsonObject),
  strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
export type TextFormat = Type.Static<typeof TextFormat>;

/** The form of reasoning: unchanged, or under the name of a summary where the request asks for one. */
const Summary = Type.Enum(['auto', 'concise', 'detailed']);
export type ReasoningSummary = Type.Static<typeof Summary>;
const SummaryOrNull = Type.Optional(Type.Union([Summary, Type.Null()]));

/**
 * The supported fields of a request; `wire` adds those of samplers. Fields that need a memory of earlier answers are
 * refused by name, and OpenAI's own tools are ignored. A top-level null means absent.
 */
export const responsesRequestFields = {
  model: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean()),
  instructions: Type.Optional(Type.String()),
  input: Type.Union([Type.String(), Type.Array(InputItem, { minItems: 1, maxItems: MAX_MESSAGES })]),
  tools: Type.Optional(Type.Array(ResponsesTool, { maxItems: MAX_TOOLS })),
  tool_choice: Type.Optional(Type.Union([Type.String(), JsonObject])),
  /** false: the answer ends with its first complete call. */
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  text: Type.Optional(
    Type.Object({
      format: Type.Optional(Type.Union([TextFormat, Type.Null()])),
      verbosity: Type.Optional(Type.Union([Type.Enum(['low', 'medium', 'high']), Type.Null()])),
    }),
  ),
  max_output_tokens: Type.Optional(TokenLimit),
  /** `message.output_text.logprobs` and `reasoning.encrypted_content` have an effect. */
  include: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_INCLUDES })),
  /** Repeated in the answer. Source of the limits: OpenAI's API. */
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: MAX_METADATA_LENGTH }), { maxProperties: MAX_METADATA }),
  ),
  truncation: Type.Optional(Type.Enum(['auto', 'disabled'])),
  prompt_cache_key: Type.Optional(Type.String()),
  safety_identifier: Type.Optional(Type.String()),
  ...sampling,
  ...formats,
  stop: Type.Optional(StopStrings),
  include_stop_str_in_output: Type.Optional(Type.Boolean()),
  ...promptFields,
  reasoning: Type.Optional(
    Type.Object({
      ...promptFields.reasoning.properties,
      summary: SummaryOrNull,
      /** The older name of `summary`. */
      generate_summary: SummaryOrNull,
    }),
  ),
};

import { Type } from '../../schema/index.js';
import { ChatMessage } from './chat-message.js';
import { MAX_MESSAGES, MAX_TOOL_NAME, MAX_TOOLS } from '../limits.js';
import { formatFields } from '../fields/format-fields.js';
import { samplingFields } from '../fields/sampling-fields.js';
import { promptFields } from '../fields/prompt-fields.js';
import { StopStrings, TokenLimit } from '../fields/limit-fields.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** Options of a stream besides its deltas. Obfuscation is not supported, whatever the value. */
export const StreamOptions = Type.Object({
  include_usage: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  include_obfuscation: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});

/** A tool that takes one text. */
const CustomTool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** The format of the text; the prompt describes it. */
  format: Type.Optional(Type.Union([JsonObject, Type.Null()])),
});

/** A function the model may call. `parameters` is a JSON Schema; the template gets it unchanged. */
export const Tool = Type.Object({
  type: Type.String(),
  function: Type.Optional(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }),
      description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      parameters: Type.Optional(Type.Union([JsonObject, Type.Null()])),
      strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  ),
  custom: Type.Optional(CustomTool),
});
export type Tool = Type.Static<typeof Tool>;

/**
 * The supported fields of a chat-completions request; `wire` adds those of samplers. Known fields that do not work yet
 * are refused by name (`unsupported-fields.ts`); unknown ones pass. A top-level null means absent.
 */
export const chatRequestFields = {
  model: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean()),
  messages: Type.Array(ChatMessage, { minItems: 1, maxItems: MAX_MESSAGES }),
  tools: Type.Optional(Type.Array(Tool, { maxItems: MAX_TOOLS })),
  tool_choice: Type.Optional(Type.Union([Type.String(), JsonObject])),
  /** false: the answer ends with its first complete call. */
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  max_tokens: Type.Optional(TokenLimit),
  max_completion_tokens: Type.Optional(TokenLimit),
  /** llama.cpp's name for `max_tokens`. */
  n_predict: Type.Optional(TokenLimit),
  ...samplingFields,
  stop: Type.Optional(StopStrings),
  include_stop_str_in_output: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(StreamOptions),
  ...formatFields,
  ...promptFields,
};

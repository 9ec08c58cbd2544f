import { Type } from '../../schema/index.js';
import { CacheSalt } from '../fields/cache-salt.js';
import { ChatMessage } from './chat-message.js';
import { MAX_MESSAGES, MAX_STOP_LENGTH, MAX_STOPS, MAX_TOOL_NAME, MAX_TOOLS } from '../limits.js';
import { formatFields } from '../fields/format-fields.js';
import { samplingFields } from '../fields/sampling-fields.js';
import { thinkingFields } from '../fields/thinking-fields.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
/** -1: no limit, as no field; 0 is refused. */
const TokenLimit = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const StopString = Type.String({ minLength: 1, maxLength: MAX_STOP_LENGTH });

/** What a stream tells besides its deltas. Obfuscation is not done, whatever is asked. */
export const StreamOptions = Type.Object({
  include_usage: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  include_obfuscation: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});

/** A function the model may call. `parameters` is a JSON Schema, handed to the template as it is. */
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
});
export type Tool = Type.Static<typeof Tool>;

/**
 * The fields of a chat-completions request that work; those of samplers are `wire`'s. Known fields that do not work yet are refused
 * by name (`unsupported-fields.ts`), unknown ones pass. A top-level null means absent.
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
  /** llama.cpp's name of `max_tokens`. */
  n_predict: Type.Optional(TokenLimit),
  ...samplingFields,
  stop: Type.Optional(Type.Union([StopString, Type.Array(StopString, { maxItems: MAX_STOPS })])),
  include_stop_str_in_output: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(StreamOptions),
  /** true: the text of a control token in messages and tools is that token, as for trusted prompts. Default false: it is text. */
  parse_special: Type.Optional(Type.Boolean()),
  /** true: what the model's template makes no use of (tools, a role, thinking) is left out. Default false: it is refused. */
  drop_unsupported: Type.Optional(Type.Boolean()),
  cache_salt: Type.Optional(CacheSalt),
  ...formatFields,
  ...thinkingFields,
};

import { Type } from '../../schema/index.js';
import { CacheSalt } from '../fields/cache-salt.js';
import { StreamOptions } from '../chat/chat-request.js';
import { MAX_PROMPTS, MAX_STOP_LENGTH, MAX_STOPS, MAX_TOP_LOGPROBS } from '../limits.js';
import { formatFields } from '../fields/format-fields.js';
import { samplingFields } from '../fields/sampling-fields.js';

const StopString = Type.String({ minLength: 1, maxLength: MAX_STOP_LENGTH });
const TokenIds = Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { minItems: 1 });
const { logprobs: _, top_logprobs: __, ...howTokensAreChosen } = samplingFields;

/** The prompt to continue: a text, a list of token ids, or several of either. */
export const TextPrompt = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { minItems: 1, maxItems: MAX_PROMPTS }),
  TokenIds,
  Type.Array(TokenIds, { minItems: 1, maxItems: MAX_PROMPTS }),
]);
export type TextPrompt = Type.Static<typeof TextPrompt>;

/** The fields of a request of the older completions API, except those of samplers. Prompts are used without a template. */
export const textRequestFields = {
  model: Type.Optional(Type.String()),
  prompt: TextPrompt,
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(StreamOptions),
  /** -1: no limit but the context; 0 only with `echo`. */
  max_tokens: Type.Optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
  /** The text begins with the prompt. */
  echo: Type.Optional(Type.Boolean()),
  /** Only the value of `n`: nothing is ranked. */
  best_of: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Alternatives with logprobs beside each token's own. */
  logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOP_LOGPROBS })),
  suffix: Type.Optional(Type.String()),
  stop: Type.Optional(Type.Union([StopString, Type.Array(StopString, { maxItems: MAX_STOPS })])),
  include_stop_str_in_output: Type.Optional(Type.Boolean()),
  /** false: the text of a control token in a prompt is text. Default true: it becomes that token. */
  parse_special: Type.Optional(Type.Boolean()),
  cache_salt: Type.Optional(CacheSalt),
  ...formatFields,
  ...howTokensAreChosen,
};

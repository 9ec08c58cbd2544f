import { Type } from '../../schema/index.js';
import {
  MAX_BIASES,
  MAX_BREAKER_LENGTH,
  MAX_BREAKERS,
  MAX_CHOICES,
  MAX_STOP_IDS,
  MAX_TOP_LOGPROBS,
} from '../limits.js';

/**
 * The seed of a request: 64 bits, signed or unsigned. -1 means a new one each time, as without the field. JSON: a whole
 * number with any digits, or a string of digits for clients whose numbers end at 2^53. Programs may also pass a bigint.
 */
const Seed = Type.Unsafe<number | bigint | string>({
  description: 'A whole number from -2^63 to 2^64 - 1, exactly as written, or its digits as a string. -1: random.',
  anyOf: [
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: '^[+-]?[0-9]{1,20}$' },
  ],
});

const Flag = Type.Boolean();
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bias = Type.Number({ minimum: -100, maximum: 100 });

/**
 * Fields of a request for the choice of tokens and their log-probabilities. The samplers' numbers are not among them:
 * `wire` makes those from the samplers' declarations. They are OpenAI's, and the fields that llama.cpp and vLLM take at
 * the top level.
 */
export const samplingFields = {
  seed: Type.Optional(Seed),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CHOICES })),
  logprobs: Type.Optional(Flag),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOP_LOGPROBS })),
  /** Token ids as keys; or llama.cpp's pairs, where false bans a token. */
  logit_bias: Type.Optional(
    Type.Union([
      Type.Record(Type.String(), Bias, { maxProperties: MAX_BIASES }),
      Type.Array(Type.Tuple([Count, Type.Union([Bias, Flag])]), { maxItems: MAX_BIASES }),
    ]),
  ),
  ignore_eos: Type.Optional(Flag),
  stop_token_ids: Type.Optional(Type.Array(Count, { maxItems: MAX_STOP_IDS })),
  dry_sequence_breakers: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_BREAKER_LENGTH }), { maxItems: MAX_BREAKERS }),
  ),
  /** Which defaults apply where neither request nor model sets a value: the API's, or those of a conversation. */
  sampling_defaults: Type.Optional(Type.Enum(['api', 'chat'])),
};

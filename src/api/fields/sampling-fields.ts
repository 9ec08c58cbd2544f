import { Type } from '../../schema/index.js';
import {
  MAX_BIASES,
  MAX_BREAKER_LENGTH,
  MAX_BREAKERS,
  MAX_CHOICES,
  MAX_PENALTY,
  MAX_STOP_IDS,
  MAX_TOP_LOGPROBS,
} from '../limits.js';
import { Seed } from './seed.js';

const Flag = Type.Boolean();
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const CountOrOff = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const OccurrencePenalty = Type.Number({ minimum: -2, maximum: 2 });
const RepetitionPenalty = Type.Number({ exclusiveMinimum: 0, maximum: MAX_PENALTY });
const Bias = Type.Number({ minimum: -100, maximum: 100 });

/**
 * Fields of a request that say how tokens are chosen and what is told of them. OpenAI's, and those that
 * llama.cpp and vLLM take at the top level beside them; several spellings of one thing are all here.
 */
export const samplingFields = {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Share),
  top_k: Type.Optional(CountOrOff),
  min_p: Type.Optional(Share),
  typical_p: Type.Optional(Share),
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
  frequency_penalty: Type.Optional(OccurrencePenalty),
  presence_penalty: Type.Optional(OccurrencePenalty),
  repetition_penalty: Type.Optional(RepetitionPenalty),
  /** llama.cpp's name of `repetition_penalty`, which outranks it. */
  repeat_penalty: Type.Optional(RepetitionPenalty),
  repeat_last_n: Type.Optional(CountOrOff),
  min_tokens: Type.Optional(Count),
  ignore_eos: Type.Optional(Flag),
  stop_token_ids: Type.Optional(Type.Array(Count, { maxItems: MAX_STOP_IDS })),
  dry_multiplier: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_PENALTY })),
  dry_base: Type.Optional(Type.Number({ minimum: 1, maximum: MAX_PENALTY })),
  dry_allowed_length: Type.Optional(Count),
  dry_penalty_last_n: Type.Optional(CountOrOff),
  dry_sequence_breakers: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_BREAKER_LENGTH }), { maxItems: MAX_BREAKERS }),
  ),
  xtc_probability: Type.Optional(Share),
  xtc_threshold: Type.Optional(Share),
};
const SamplingFields = Type.Object(samplingFields);
/** What a request of any API says of sampling; what is told of tokens each API spells in its own way. */
export type SamplingFields = Omit<Type.Static<typeof SamplingFields>, 'logprobs' | 'top_logprobs'>;

import { readSeed, type SamplingFields } from '../api/index.js';
import type { CompletionWishes, FieldNames, SamplingChoice } from '../completion/index.js';

/** What both requests of OpenAI's shape say of sampling. Errors: `invalid_value`. */
export function toSamplingChoice(body: SamplingFields): SamplingChoice {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    typicalP: body.typical_p,
    logitBias: toLogitBias(body.logit_bias),
    minTokens: body.min_tokens,
    repetitionPenalty: body.repetition_penalty ?? body.repeat_penalty,
    repeatLastN: body.repeat_last_n,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    dry: {
      multiplier: body.dry_multiplier,
      base: body.dry_base,
      allowedLength: body.dry_allowed_length,
      penaltyLastN: body.dry_penalty_last_n,
      breakers: body.dry_sequence_breakers,
    },
    xtc: { probability: body.xtc_probability, threshold: body.xtc_threshold },
    seed: readSeed(body.seed),
    stopTokenIds: body.stop_token_ids,
    ignoresModelStops: body.ignore_eos === true,
  };
}

/** What they say of where answers end, and in which cache they share. */
export function toEnds(body: {
  readonly stop?: string | string[];
  readonly include_stop_str_in_output?: boolean;
  readonly cache_salt?: string;
}): Pick<CompletionWishes, 'stops' | 'keepsStop' | 'cacheSalt'> {
  return {
    stops: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
    keepsStop: body.include_stop_str_in_output === true,
    cacheSalt: body.cache_salt,
  };
}

/** The tokens of a limit; -1 is none, as for llama.cpp's n_predict. */
export function toLimit(maxTokens: number): number | undefined {
  return maxTokens === -1 ? undefined : maxTokens;
}

/** What these requests call the fields that errors name. */
export function fieldNames(body: SamplingFields): FieldNames {
  const bias = body.logit_bias;
  return {
    prompt: 'prompt',
    tools: 'tools',
    messages: 'messages',
    calls: (index) => `messages[${index}].tool_calls`,
    thinking: undefined,
    dropsUnsupported: '"drop_unsupported": true',
    stopTokenIds: 'stop_token_ids',
    logitBias: (id, index) => {
      if (Array.isArray(bias)) return `logit_bias[${index}][0]`;
      return `logit_bias[${Object.keys(bias ?? {})[index] ?? id}]`;
    },
  };
}

function toLogitBias(bias: SamplingFields['logit_bias']): SamplingChoice['logitBias'] {
  if (bias === undefined) return undefined;
  if (!Array.isArray(bias)) return Object.entries(bias).map(([id, value]) => [Number(id), value] as const);
  // false bans a token.
  return bias.map(([id, value]) => [id, typeof value === 'number' ? value : -Infinity] as const);
}

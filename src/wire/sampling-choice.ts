import type { CompletionWishes, FieldNames, SamplingChoice } from '../completion/index.js';
import { readSeed } from './parsing/seed.js';
import type { SamplingFields } from './request-schemas.js';
import { toSamplerValues } from './sampler-fields.js';

/** The sampling of both requests of OpenAI's shape. Errors: `invalid_value`. */
export function toSamplingChoice(body: SamplingFields): SamplingChoice {
  return {
    values: toSamplerValues(body),
    defaults: body.sampling_defaults ?? 'api',
    breakers: body.dry_sequence_breakers,
    logitBias: toLogitBias(body.logit_bias),
    seed: readSeed(body.seed),
    stopTokenIds: body.stop_token_ids,
    ignoresModelStops: body.ignore_eos === true,
  };
}

/** Their stop settings, and the cache that they share. */
export function toEnds(body: {
  readonly stop?: string | string[] | undefined;
  readonly include_stop_str_in_output?: boolean;
  readonly cache_salt?: string | undefined;
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

/** The usual names of fields in errors: one object for all, since thousands of requests keep theirs. */
export const commonNames: FieldNames = {
  prompt: 'prompt',
  tools: 'tools',
  messages: 'messages',
  message: (index) => `messages[${index}]`,
  calls: (index) => `messages[${index}].tool_calls`,
  thinking: undefined,
  dropsUnsupported: '"drop_unsupported": true',
  format: 'response_format',
  toolChoice: 'tool_choice',
  toolSchema: (index) => `tools[${index}].function.parameters`,
  stopTokenIds: 'stop_token_ids',
  logitBias: (id) => `logit_bias[${id}]`,
};

/** A request's names of them. `format`: the field that requested one. */
export function fieldNames({ logit_bias: bias }: SamplingFields, format?: string): FieldNames {
  if (bias === undefined && format === undefined) return commonNames;
  const names = format === undefined ? commonNames : { ...commonNames, format };
  if (bias === undefined) return names;
  // As the request wrote the id.
  const keys = Array.isArray(bias) ? undefined : Object.keys(bias);
  return {
    ...names,
    logitBias: (id, index) => `logit_bias[${keys === undefined ? `${index}][0` : (keys[index] ?? id)}]`,
  };
}

function toLogitBias(bias: SamplingFields['logit_bias']): SamplingChoice['logitBias'] {
  if (bias === undefined) return undefined;
  if (!Array.isArray(bias)) return Object.entries(bias).map(([id, value]) => [Number(id), value] as const);
  // false bans a token.
  return bias.map(([id, value]) => [id, typeof value === 'number' ? value : -Infinity] as const);
}

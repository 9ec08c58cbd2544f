import { type Generation } from '../../billing/index.js';
import { Type } from '../../schema/index.js';
import { toTime } from '../operations/shown.js';
import { toAmount } from '../../words/index.js';

const MaybeInteger = Type.Union([Type.Integer(), Type.Null()]);

/** One request and its cost, without its content. */
export const ShownGeneration = Type.Object({
  object: Type.Enum(['generation']),
  id: Type.String(),
  created_at: Type.String(),
  state: Type.Enum(['running', 'settled', 'voided']),
  provider: Type.String(),
  model: Type.String(),
  key_id: Type.String(),
  key_name: Type.String(),
  usage: Type.Object({
    prompt_tokens: Type.Integer(),
    cached_tokens: Type.Integer(),
    cache_write_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer(),
    is_estimated: Type.Boolean(),
  }),
  cost: Type.String({ description: 'a decimal text of the currency' }),
  currency: Type.String(),
  price_version: Type.Integer(),
  status: MaybeInteger,
  duration_ms: MaybeInteger,
  first_byte_ms: MaybeInteger,
});

/** A generation as its account sees it. */
export function showGeneration(generation: Generation): Type.Static<typeof ShownGeneration> {
  const { requestId, createdAtMs, state, provider, model, keyId, keyName, costMicro, currency, priceVersion } =
    generation;
  return {
    object: 'generation',
    id: requestId,
    created_at: toTime(createdAtMs),
    state,
    provider,
    model,
    key_id: keyId,
    key_name: keyName,
    usage: {
      prompt_tokens: generation.promptTokens,
      cached_tokens: generation.cachedTokens,
      cache_write_tokens: generation.cacheWriteTokens,
      completion_tokens: generation.completionTokens,
      reasoning_tokens: generation.reasoningTokens,
      is_estimated: generation.isEstimated,
    },
    cost: toAmount(costMicro),
    currency,
    price_version: priceVersion,
    status: generation.status,
    duration_ms: generation.durationMs,
    first_byte_ms: generation.firstByteMs,
  };
}

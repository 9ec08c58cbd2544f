import type { Usage } from '../api/index.js';
import type { TokenUsage } from '../completion/index.js';

/** The usage of an answer in OpenAI's form. */
export function toUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

import type { Usage } from '../api/index.js';
import type { TokenUsage } from '../completion/index.js';

/** What an answer took, as OpenAI writes it. */
export function toUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

import { toAmountMicro, type Budget, type KeyDefinition, type KeyLimits } from '../../metering/index.js';
import type { KeyLimitFields as WrittenLimits, VirtualKeyConfig } from '../config/index.js';
import { toAmount } from '../../words/index.js';

/** The keys of a file as the meter takes them. */
export function toKeyDefinitions(keys: readonly VirtualKeyConfig[]): readonly KeyDefinition[] {
  return keys.map(({ limits, ...key }) => ({ ...key, limits: toKeyLimits(limits) }));
}

/** Limits as they are written. */
export function toKeyLimits(limits: WrittenLimits): KeyLimits {
  const { budget = [] } = limits;
  const budgets = Array.isArray(budget) ? budget : [budget];
  return {
    ...(limits.requests_per_minute !== undefined && { requestsPerMinute: limits.requests_per_minute }),
    ...(limits.tokens_per_minute !== undefined && { tokensPerMinute: limits.tokens_per_minute }),
    ...(limits.parallel_requests !== undefined && { parallelRequests: limits.parallel_requests }),
    ...(limits.max_output_tokens !== undefined && { maxOutputTokens: limits.max_output_tokens }),
    budgets: budgets.map((written): Budget => {
      const { window } = written;
      if ('tokens' in written) return { tokens: written.tokens, window };
      return { amountMicro: toAmountMicro(written.amount), currency: written.currency, window };
    }),
  };
}

/** Limits as the file has them. */
export function toWrittenLimits(limits: KeyLimits): WrittenLimits {
  const budgets = limits.budgets.map((budget) =>
    'tokens' in budget
      ? { tokens: budget.tokens, window: budget.window }
      : { amount: toAmount(budget.amountMicro), currency: budget.currency, window: budget.window },
  );
  const [only] = budgets;
  return {
    ...(limits.requestsPerMinute !== undefined && { requests_per_minute: limits.requestsPerMinute }),
    ...(limits.tokensPerMinute !== undefined && { tokens_per_minute: limits.tokensPerMinute }),
    ...(limits.parallelRequests !== undefined && { parallel_requests: limits.parallelRequests }),
    ...(limits.maxOutputTokens !== undefined && { max_output_tokens: limits.maxOutputTokens }),
    ...(only !== undefined && { budget: budgets.length === 1 ? only : budgets }),
  };
}

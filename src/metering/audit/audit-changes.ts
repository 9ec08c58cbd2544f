import type { KeyRules } from '../keys/key-table.js';
import { toAmount } from '../../words/index.js';

/** Fields of one object with their JSON values. */
export type Facts = Readonly<Record<string, unknown>>;

/** A change of one object: the fields that differ. `before` is null for a new object, `after` for a removed one. */
export interface FactChange {
  readonly before: Facts | null;
  readonly after: Facts | null;
}

/** The fields in which `before` and `after` differ, each with both values; an absent field is null. */
export function compareFacts(before: Facts, after: Facts): FactChange {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (facts: Facts): Facts => Object.fromEntries(changed.map((name) => [name, facts[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

/** Limits of a key, as the audit log has them: the fields of gateway.yaml, and null for no limit. */
export function keyFacts({ name, models, expiresAtMs, limits }: KeyRules): Facts {
  return {
    name,
    models,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    parallel_requests: limits.parallelRequests ?? null,
    max_output_tokens: limits.maxOutputTokens ?? null,
    budgets: limits.budgets.map((budget) =>
      'tokens' in budget
        ? { tokens: budget.tokens, window: budget.window }
        : { amount: toAmount(budget.amountMicro), currency: budget.currency, window: budget.window },
    ),
  };
}

import { toAmount } from '../../words/index.js';
import type { BudgetState, RateState } from '../meter.js';
import type { KeyLimits, KeyRecord, KeyState } from './key-record.js';

/** A key with its use now, of any product. Times are milliseconds since 1970. */
export interface UsedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly state: KeyState;
  readonly models: KeyRecord['models'];
  readonly limits: Omit<KeyLimits, 'budgets'>;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  /** Until when an older secret is taken. Null: none is. */
  readonly graceUntilMs: number | null;
  readonly budgets: readonly BudgetState[];
  /** Prompt and completion tokens of the current day and month in UTC, and of all time. */
  readonly used: { readonly day: number; readonly month: number; readonly total: number };
  /** What is left of limits a minute, and requests under way. Absent: several nodes count, and none knows all. */
  readonly now?: { readonly rates: RateState; readonly runningRequests: number };
}

/**
 * A key as JSON, the same in the gateway and in the hosted API: without its secret and its hash. `own`: further fields of a
 * product. Money is a decimal text, and null does not limit.
 */
export function showKey<Own extends object>(key: UsedKey, own: Own) {
  const { id, name, prefix, state, models, limits, budgets, used, now } = key;
  return {
    id,
    name,
    prefix,
    ...own,
    state,
    models: models && [...models],
    expires_at: toOptionalTime(key.expiresAtMs),
    created_at: toTime(key.createdAtMs),
    last_used_at: toOptionalTime(key.lastUsedAtMs),
    grace_until: toOptionalTime(key.graceUntilMs),
    limits: {
      requests_per_minute: limits.requestsPerMinute ?? null,
      requests_left: now?.rates.requests?.remaining ?? null,
      tokens_per_minute: limits.tokensPerMinute ?? null,
      tokens_left: now?.rates.tokens?.remaining ?? null,
      parallel_requests: limits.parallelRequests ?? null,
      running_requests: now?.runningRequests ?? null,
      max_output_tokens: limits.maxOutputTokens ?? null,
      budgets: budgets.map(showBudget),
    },
    used: { day_tokens: used.day, month_tokens: used.month, total_tokens: used.total },
  };
}

/** Micro-units are written as amounts. */
function showBudget({ currency, window, limit, used, held, resetsAtMs }: BudgetState) {
  const shown = (value: bigint): number | string => (currency === undefined ? Number(value) : toAmount(value));
  return {
    unit: currency ?? 'tokens',
    window,
    limit: shown(limit),
    used: shown(used),
    held: shown(held),
    resets_at: toOptionalTime(resetsAtMs ?? null),
  };
}

function toTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

function toOptionalTime(unixMs: number | null): string | null {
  return unixMs === null ? null : toTime(unixMs);
}

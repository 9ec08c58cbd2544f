import { createHash } from 'node:crypto';
import { type BudgetState, type KeyRecord, type Meter } from '../../metering/index.js';
import { toAmount } from '../../words/index.js';

/** A key as operators see it, at a terminal and on a page: without its secret and its hash. */
export function toShownKey(record: KeyRecord, meter: Meter) {
  const used = (window: 'day' | 'month' | 'total'): number => Number(meter.pages.usedByKey(record.id, window).tokens);
  const { id, name, prefix, origin, state, models, expiresAtMs, createdAtMs, lastUsedAtMs, graces, limits } = record;
  const { runningRequests, budgets } = meter.usageOf(id);
  const { requests, tokens } = meter.limitState(id);
  return {
    id,
    name,
    prefix,
    origin,
    state,
    models: models && [...models],
    expires_at: expiresAtMs === null ? null : toTime(expiresAtMs),
    created_at: toTime(createdAtMs),
    last_used_at: lastUsedAtMs === undefined ? null : toTime(lastUsedAtMs),
    grace_until: graces.length === 0 ? null : toTime(Math.max(...graces.map(({ untilMs }) => untilMs))),
    limits: {
      requests_per_minute: limits.requestsPerMinute ?? null,
      requests_left: requests?.remaining ?? null,
      tokens_per_minute: limits.tokensPerMinute ?? null,
      tokens_left: tokens?.remaining ?? null,
      parallel_requests: limits.parallelRequests ?? null,
      running_requests: runningRequests,
      max_output_tokens: limits.maxOutputTokens ?? null,
      budgets: budgets.map(toShownBudget),
    },
    used: { day_tokens: used('day'), month_tokens: used('month'), total_tokens: used('total') },
    etag: etagOfKey(record),
  };
}

/** Changes with everything that an operator can change of a key, and not with its use. */
export function etagOfKey({ name, prefix, models, expiresAtMs, limits, state }: KeyRecord): string {
  const text = JSON.stringify([name, prefix, models, expiresAtMs, state, limits], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Micro-units are written as amounts. */
function toShownBudget({ currency, window, limit, used, held, resetsAtMs }: BudgetState) {
  const shown = (value: bigint): number | string => (currency === undefined ? Number(value) : toAmount(value));
  return {
    unit: currency ?? 'tokens',
    window,
    limit: shown(limit),
    used: shown(used),
    held: shown(held),
    resets_at: resetsAtMs === undefined ? null : toTime(resetsAtMs),
  };
}

/** As RFC 3339 writes it. */
export function toTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

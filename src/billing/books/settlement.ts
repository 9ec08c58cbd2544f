// The end of a request as plain data: it goes to the database, or waits for it in the outbox.

import { costMicro } from '../prices/cost.js';
import type { PaidOutcome } from '../billing.js';
import type { RequestIdentity } from '../usage/usage-views.js';
import { toCount } from '../../metering/index.js';
import type { HeldRequest } from './held-request.js';

/** How a request ended, and its cost. Amounts are micro-units. */
export interface Settlement extends RequestIdentity {
  /** Windows of budgets in which it counts, as `day:20783`. */
  readonly windows: readonly string[];
  /** The node whose allowance pays for it, and the amount; absent: it has a hold of its own. */
  readonly fromAllowance?: { readonly nodeId: string; readonly heldMicro: bigint };
  readonly state: 'settled' | 'voided';
  readonly endedAtMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
  readonly audios: number;
  readonly isEstimated: boolean;
  readonly costMicro: bigint;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly firstByteMs: number | null;
  readonly end: PaidOutcome['end'] | 'expired' | 'refused';
  /** It is unknown whether the request was admitted: the settlement ends only a hold that exists. */
  readonly isDoubtful?: boolean;
}

const NOTHING_USED = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  images: 0,
  audios: 0,
} as const;

/**
 * The settlement of a request with this outcome. A request that failed before its first byte and used nothing is
 * voided.
 */
export function toSettlement(held: HeldRequest, outcome: PaidOutcome, endedAtMs: number): Settlement {
  const promptTokens = toCount(outcome.promptTokens);
  const completionTokens = toCount(outcome.completionTokens);
  const isSettled = outcome.began || completionTokens > 0;
  const cachedTokens = Math.min(toCount(outcome.cachedTokens), promptTokens);
  const used = {
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(toCount(outcome.cacheWriteTokens ?? 0), promptTokens - cachedTokens),
    completionTokens,
    images: held.images,
    audios: held.audios,
  };
  const counts = isSettled
    ? { ...used, reasoningTokens: Math.min(toCount(outcome.reasoningTokens), completionTokens) }
    : NOTHING_USED;
  return {
    ...identityOf(held),
    ...counts,
    state: isSettled ? 'settled' : 'voided',
    endedAtMs,
    isEstimated: outcome.isEstimated,
    costMicro: isSettled ? costMicro(held.price, used) : 0n,
    status: outcome.status,
    durationMs: outcome.durationMs < 0 ? 0 : Math.round(outcome.durationMs),
    firstByteMs: outcome.firstByteMs === null ? null : Math.round(outcome.firstByteMs),
    end: outcome.end,
  };
}

/** A request without a record, or with only a hold, ends without a cost. */
export function toVoid(
  held: Omit<HeldRequest, 'price' | 'images' | 'audios' | 'promptTokens'>,
  endedAtMs: number,
  end: 'expired' | 'refused',
): Settlement {
  return {
    ...identityOf(held),
    state: 'voided',
    endedAtMs,
    ...NOTHING_USED,
    isEstimated: false,
    costMicro: 0n,
    status: null,
    durationMs: null,
    firstByteMs: null,
    end,
    isDoubtful: true,
  };
}

function identityOf(held: Omit<HeldRequest, 'price' | 'images' | 'audios' | 'promptTokens'>) {
  const { requestId, accountId, keyId, provider, model, priceVersion, currency, windows, createdAtMs } = held;
  const own = { requestId, accountId, keyId, provider, model, priceVersion, currency, windows, createdAtMs };
  return held.allowanceOf === undefined
    ? own
    : { ...own, fromAllowance: { nodeId: held.allowanceOf, heldMicro: held.heldMicro } };
}

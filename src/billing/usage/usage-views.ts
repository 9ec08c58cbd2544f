// Requests, keys and balances as accounts and their operator see them: single ones, and sums.
import type { BudgetState, PlacedSpan, RollupStep } from '../../metering/index.js';
import type { TimeRange } from '../pages.js';

/** The owner of a request, and the price that it is charged by. */
export interface RequestIdentity {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly priceVersion: number;
  readonly currency: string;
  readonly createdAtMs: number;
}

/** One request as its account may see it: its cost, never its content. */
export interface Generation extends RequestIdentity {
  readonly accountName: string;
  readonly keyName: string;
  readonly state: 'running' | 'settled' | 'voided';
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly isEstimated: boolean;
  readonly costMicro: bigint;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly firstByteMs: number | null;
}

/** Filters of a list of requests; all present filters apply together. */
export interface RequestFilters extends TimeRange {
  readonly keyId?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly state?: 'settled' | 'voided';
  /** With a status from 400 on, or none. */
  readonly isFailed?: boolean;
}

/** The columns by which usage is summed. */
export type UsageGroup = 'account' | 'day' | 'key' | 'provider' | 'model';

/** Usage, summed. Columns that it was not grouped by are absent. */
export interface UsageSum {
  readonly accountId?: string;
  readonly accountName?: string;
  /** The first moment of the day in UTC, milliseconds since 1970. */
  readonly dayMs?: number;
  readonly keyId?: string;
  readonly keyName?: string;
  readonly provider?: string;
  readonly model?: string;
  /** Of the accounts: sums of two currencies are two. */
  readonly currency: string;
  readonly requests: number;
  readonly promptTokens: bigint;
  readonly cachedTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly completionTokens: bigint;
  readonly costMicro: bigint;
}

/** The range, filters and groups of a sum of usage. */
export interface AccountUsageQuery extends Required<TimeRange> {
  /** Default: day, key, provider and model. */
  readonly groups?: readonly UsageGroup[];
}

/** A request that was refused, or failed, before it was admitted. Names are those of the configuration alone. */
export interface RefusedRequest {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly status: number;
  readonly errorCode?: string;
  readonly accountId?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** The subject and the time of traffic: one account, one provider, one model of it, or all. */
export interface TrafficQuery {
  readonly accountId?: string;
  readonly provider?: string;
  /** Of `provider`. */
  readonly model?: string;
  /** Minutes are there of all requests together, and of no part. */
  readonly step: RollupStep;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Requests by time. Steps without a request have no span. */
export interface Traffic {
  readonly spans: readonly PlacedSpan[];
  /** False while many requests that ended are not counted yet. */
  readonly isComplete: boolean;
}

/** What a key used, and what is left of its budgets. */
export interface AccountKeyUse {
  readonly budgets: readonly BudgetState[];
  /** Until when an older secret is taken; null: none is. */
  readonly graceUntilMs: number | null;
  /** Prompt and completion tokens of the current day and month in UTC, and of all time. */
  readonly used: { readonly day: number; readonly month: number; readonly total: number };
}

/**
 * Sums of micro-units. Balances include the holds of requests under way; usage counts on the day on which its request
 * began.
 */
export interface Movements {
  readonly openingMicro: bigint;
  readonly paidMicro: bigint;
  /** Below zero, or zero. */
  readonly refundedMicro: bigint;
  readonly usedMicro: bigint;
  readonly closingMicro: bigint;
}

// What accounts and their operator see of requests: single ones, and sums.
import type { TimeRange } from '../pages.js';

/** Whose request it is, and what it is charged by. */
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

/** One request as its account may see it: what it cost, never what it said. */
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

/** Which requests are listed; all that is there holds together. */
export interface RequestFilters extends TimeRange {
  readonly keyId?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly state?: 'settled' | 'voided';
  /** With a status from 400 on, or none. */
  readonly isFailed?: boolean;
}

/** By what usage is summed. */
export type UsageGroup = 'account' | 'day' | 'key' | 'provider' | 'model';

/** Usage, summed. What it was not grouped by is not there. */
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

/** Which usage is summed, and by what. */
export interface UsageQuery extends Required<TimeRange> {
  /** Default: day, key, provider and model. */
  readonly groups?: readonly UsageGroup[];
}

import type { KeyLimits } from './keys/key-record.js';
import { amountsOf, budgetLimitOf, usedOf } from './ledger/key-account.js';
import type { Ledger } from './ledger/ledger.js';
import type { SlidingWindow } from './ledger/sliding-window.js';
import type { KeyUsage, RateLimitState, RateState } from './meter.js';
import { windowEndMs } from './window.js';

/** The usage of a key's budgets now. */
export function readKeyUsage(ledger: Ledger, keyId: string, { budgets }: KeyLimits, unixMs: number): KeyUsage {
  ledger.moveTo(unixMs);
  const account = ledger.account(keyId);
  return {
    runningRequests: account.running,
    budgets: budgets.map((budget) => {
      const resetsAtMs = windowEndMs(budget.window, ledger.day);
      return {
        ...('currency' in budget && { currency: budget.currency }),
        window: budget.window,
        limit: budgetLimitOf(budget),
        used: usedOf(account, budget),
        held: amountsOf(account, budget).held,
        ...(resetsAtMs !== undefined && { resetsAtMs }),
      };
    }),
  };
}

/** The state of a key's limits a minute. */
export function readRateState(ledger: Ledger, keyId: string, limits: KeyLimits, monotonicMs: number): RateState {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const { requestsOfMinute, tokensOfMinute } = ledger.account(keyId);
  const toRate = (limit: number, window: SlidingWindow): RateLimitState => ({
    limit,
    remaining: Math.max(0, limit - window.sum(monotonicMs)),
    resetMs: window.waitMs(0, monotonicMs),
  });
  return {
    ...(requestsPerMinute !== undefined && { requests: toRate(requestsPerMinute, requestsOfMinute) }),
    ...(tokensPerMinute !== undefined && { tokens: toRate(tokensPerMinute, tokensOfMinute) }),
  };
}

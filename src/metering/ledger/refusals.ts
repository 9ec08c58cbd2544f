import { AppError, present } from '../../base/index.js';
import type { Budget } from '../keys/key-record.js';
import { toMoney } from '../price.js';
import { counted, unitText } from '../../words/index.js';
import { windowEndMs } from '../window.js';
import { amountsOf, leftOf, type KeyAccount } from './key-account.js';

/** The end of a parallel request cannot be predicted: a second is the usual first pause. */
const PARALLEL_RETRY_MS = 1000;

export function overParallel(limit: number): AppError {
  const message = `this key has ${limit} running requests, which is its limit; wait until one ends`;
  return tooFast(message, 'parallel_requests', limit, PARALLEL_RETRY_MS);
}

export function overRequests(limit: number, retryAfterMs: number): AppError {
  const message = `this key may send ${limit} requests a minute; try again in ${toSeconds(retryAfterMs)} s`;
  return tooFast(message, 'requests_per_minute', limit, retryAfterMs);
}

export function overTokens(limit: number, tokens: number, retryAfterMs: number): AppError {
  const help =
    tokens > limit ? 'a shorter prompt, or fewer choices, would fit' : `try again in ${toSeconds(retryAfterMs)} s`;
  const message = `this request takes up to ${tokens} tokens at first, and this key may use ${limit} a minute; ${help}`;
  return tooFast(message, 'tokens_per_minute', limit, retryAfterMs);
}

/** `tokens`: the least that the request needs. */
export function overBudget(account: KeyAccount, found: Budget | undefined, tokens: number, day: number): AppError {
  const budget = present(found, 'a budget has no room');
  const resetsAtMs = windowEndMs(budget.window, day) ?? null;
  const left = leftOf(account, budget);
  const { held } = amountsOf(account, budget);
  const need = 'tokens' in budget ? `this request needs ${counted(tokens, 'token')}` : 'this request may cost more';
  const shown = (value: bigint): string =>
    'tokens' in budget ? unitText(String(value), 'tokens') : toMoney(value, budget.currency);
  const again =
    resetsAtMs === null ? 'it does not fill again' : `it is full again at ${new Date(resetsAtMs).toISOString()}`;
  const message = `the budget of this key (${budget.window}) has ${shown(left < 0n ? 0n : left)} left, while running requests hold ${shown(held)}, and ${need}; ${again}`;
  return new AppError('budget_exceeded', message, { limit: `budget_${budget.window}`, resetsAtMs });
}

function tooFast(message: string, limit: string, value: number, retryAfterMs: number): AppError {
  return new AppError('rate_limit_exceeded', message, { limit, value, retryAfterMs });
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

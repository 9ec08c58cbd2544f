import { amountOf, integerOf, textOf, type Row } from '../../database/index.js';
import type { Generation } from './usage-views.js';
import { toIdentity } from '../books/request-identity.js';

/** Columns that name a request beside its ids, from tables that `JOINS` adds to a table called `u`. */
export const NAMES = 'a.name AS account_name, k.name AS key_name';
export const JOINS = 'LEFT JOIN account a ON a.id = u.account_id LEFT JOIN account_key k ON k.id = u.key_id';

/** A row of a request that ended, or of the hold of one that runs, which has no counts. */
export function toGeneration(row: Row): Generation {
  const state = textOf(row, 'state');
  const orNull = (name: string): number | null => (typeof row[name] === 'number' ? row[name] : null);
  return {
    ...toIdentity(row),
    accountName: textOf(row, 'account_name') ?? '',
    keyName: textOf(row, 'key_name') ?? '',
    state: state === 'settled' || state === 'voided' ? state : 'running',
    promptTokens: integerOf(row, 'prompt_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    cacheWriteTokens: integerOf(row, 'cache_write_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    isEstimated: integerOf(row, 'is_estimated') === 1,
    costMicro: amountOf(row, 'cost_micro'),
    status: orNull('status'),
    durationMs: orNull('duration_ms'),
    firstByteMs: orNull('first_byte_ms'),
  };
}

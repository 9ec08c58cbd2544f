import { integerOf, textOf, type Row } from '../../database/index.js';
import type { RequestIdentity } from '../usage/usage-views.js';

/** The identity of a row's request, from the columns that holds and usage share. */
export function toIdentity(row: Row): RequestIdentity {
  const text = (name: string): string => textOf(row, name) ?? '';
  return {
    requestId: text('request_id'),
    accountId: text('account_id'),
    keyId: text('key_id'),
    provider: text('provider'),
    model: text('model'),
    priceVersion: integerOf(row, 'price_version'),
    currency: text('currency'),
    createdAtMs: integerOf(row, 'created_at_ms'),
  };
}

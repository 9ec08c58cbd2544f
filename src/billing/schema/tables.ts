// The tables into which many rows are written at once. Times are milliseconds since 1970, amounts micro-units.

import type { Table } from '../../database/index.js';

/** A table of columns. */
type TableOf<C extends Readonly<Record<string, 'text' | 'bigint' | 'integer'>>> = Table<keyof C & string>;

function table<const C extends Readonly<Record<string, 'text' | 'bigint' | 'integer'>>>(
  name: string,
  columns: C,
): TableOf<C> {
  return { name, columns };
}

export const ACCOUNT = table('account', { id: 'text', available_micro: 'bigint', held_micro: 'bigint' });

export const HOLD = table('hold', {
  request_id: 'text',
  account_id: 'text',
  key_id: 'text',
  node_id: 'text',
  provider: 'text',
  model: 'text',
  price_version: 'integer',
  currency: 'text',
  granted_tokens: 'bigint',
  held_micro: 'bigint',
  windows: 'text',
  created_at_ms: 'bigint',
  expires_at_ms: 'bigint',
});

export const USAGE = table('usage_row', {
  request_id: 'text',
  account_id: 'text',
  key_id: 'text',
  provider: 'text',
  model: 'text',
  price_version: 'integer',
  currency: 'text',
  state: 'text',
  created_at_ms: 'bigint',
  ended_at_ms: 'bigint',
  prompt_tokens: 'bigint',
  cached_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  completion_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  images: 'integer',
  audios: 'integer',
  is_estimated: 'integer',
  cost_micro: 'bigint',
  uncharged_micro: 'bigint',
  status: 'integer',
  duration_ms: 'bigint',
  first_byte_ms: 'bigint',
  end_kind: 'text',
});

export const LEDGER_TABLE = table('ledger', {
  group_id: 'text',
  line: 'integer',
  kind: 'text',
  account_id: 'text',
  reference: 'text',
  currency: 'text',
  from_account: 'text',
  to_account: 'text',
  amount_micro: 'bigint',
  note: 'text',
  created_at_ms: 'bigint',
});

export const LEDGER_PENDING = table('ledger_pending', { group_id: 'text' });
export const LEDGER_CHAIN = table('ledger_chain', { seq: 'bigint', day: 'integer', group_id: 'text', hash: 'text' });

export const KEY_WINDOW = table('key_window', {
  key_id: 'text',
  kind: 'text',
  start_day: 'integer',
  used_micro: 'bigint',
  held_micro: 'bigint',
});

export const IDEMPOTENCY = table('idempotency', {
  account_id: 'text',
  idempotency_key: 'text',
  request_id: 'text',
  created_at_ms: 'bigint',
});

export const ALLOWANCE = table('allowance', { node_id: 'text', account_id: 'text', amount_micro: 'bigint' });

const COUNTS = {
  requests: 'bigint',
  prompt_tokens: 'bigint',
  cached_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  completion_tokens: 'bigint',
  cost_micro: 'bigint',
} as const;

export const USAGE_DAY = table('usage_day', {
  account_id: 'text',
  day: 'integer',
  key_id: 'text',
  provider: 'text',
  model: 'text',
  ...COUNTS,
});

/** The same of all keys and models of an account. */
export const USAGE_ACCOUNT_DAY = table('usage_account_day', { day: 'integer', account_id: 'text', ...COUNTS });

/** The same of all accounts. */
export const USAGE_TOTAL_DAY = table('usage_total_day', {
  day: 'integer',
  provider: 'text',
  model: 'text',
  currency: 'text',
  ...COUNTS,
});

/** Requests by minute, hour and day: of all, of an account, of a provider, of a model. */
export const REQUEST_SPAN = table('request_span', {
  step_ms: 'integer',
  scope: 'text',
  start_ms: 'bigint',
  requests: 'bigint',
  errors: 'bigint',
  aborted: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  first_byte: 'text',
  duration: 'text',
  codes: 'text',
  statuses: 'text',
  costs: 'text',
});

export const PRICE = table('price', {
  provider: 'text',
  model: 'text',
  version: 'integer',
  effective_from_ms: 'bigint',
  currency: 'text',
  input_nano: 'bigint',
  cached_input_nano: 'bigint',
  output_nano: 'bigint',
  request_nano: 'bigint',
  image_nano: 'bigint',
  audio_nano: 'bigint',
  cache_write_nano: 'bigint',
});

export const AUDIT_TABLE = table('audit_entry', {
  seq: 'bigint',
  at_ms: 'bigint',
  actor: 'text',
  action: 'text',
  target: 'text',
  diff: 'text',
  outcome: 'text',
  reason: 'text',
  prev_hash: 'text',
  hash: 'text',
});

// Heads of commands and titles of columns come from one table: a command and a page call the same thing alike.
import { describe, expect, it } from 'vitest';
import { renderAccounts } from '../../src/bin/hosted-api/render/render-accounts.js';
import { renderGateways } from '../../src/bin/hosted-api/render/render-gateways.js';
import { renderKeys as renderAccountKeys } from '../../src/bin/hosted-api/render/render-keys.js';
import { renderPrices } from '../../src/bin/hosted-api/render/render-prices.js';
import { renderPayments, renderStatement } from '../../src/bin/hosted-api/render/render-statement.js';
import { renderSums } from '../../src/bin/hosted-api/render/render-usage.js';
import { renderKeys } from '../../src/bin/private-gateway/render-keys.js';
import { renderRequest, renderUsage, REQUEST_HEADS } from '../../src/bin/private-gateway/render-records.js';
import { LABELS } from '../../src/words/index.js';
import { readSourceTree } from '../repo/source-tree.js';

const at = '2026-11-28T10:00:00.000Z';
const sums = { requests: 1_500, prompt_tokens: 2_000_000, cached_tokens: 0, completion_tokens: 12 };
const gatewayUsage = {
  ...sums,
  name: 'vk_1',
  key_name: 'ci',
  estimated_requests: 0,
  reasoning_tokens: 0,
  charged_tokens: 0,
  uncharged_tokens: 0,
  cost: '1234.50',
  currency: 'EUR',
};
const request = {
  seq: 1,
  time: at,
  request_id: 'r',
  key_id: 'vk_1',
  key_name: 'ci',
  route: '/v1/chat/completions',
  model: 'llama3',
  upstream_model: 'up',
  runtime: 'r1',
  stream: true,
  status: 200,
  prompt_tokens: 1_200,
  completion_tokens: 3,
  reasoning_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  estimated: false,
  first_byte_ms: 3,
  duration_ms: 4_000,
  bytes_in: 1,
  bytes_out: 1,
  aborted: false,
  error_code: null,
};
const limits = { requests_per_minute: 60, tokens_per_minute: null, parallel_requests: 2 };
const gatewayKey = {
  id: 'vk_1',
  name: 'ci',
  prefix: 'gwk_a',
  origin: 'file',
  state: 'active',
  models: null,
  expires_at: null,
  last_used_at: null,
  limits: {
    ...limits,
    requests_left: 58,
    tokens_left: null,
    running_requests: 1,
    budgets: [
      { unit: 'EUR', window: 'month', limit: '20.00', used: '2.50', held: '0.0001' },
      { unit: 'tokens', window: 'total', limit: 5_000_000, used: 12_000, held: 0 },
    ],
  },
};
const account = {
  id: 'acc_1',
  name: 'Example',
  state: 'active',
  currency: 'USD',
  balance: '1234.50',
  available: '1234.50',
  held: '0.00',
  created_at: at,
} as const;
const accountKey = {
  id: 'hk_1',
  account_id: 'acc_1',
  name: 'ci',
  prefix: 'hak_a',
  state: 'active' as const,
  models: null,
  limits: {
    ...limits,
    requests_left: null,
    tokens_left: null,
    running_requests: null,
    max_output_tokens: null,
    budgets: [{ unit: 'USD', window: 'day' as const, limit: '5.00', used: '0.10', held: '0.00', resets_at: at }],
  },
  used: { day_tokens: 1, month_tokens: 2, total_tokens: 3 },
  created_at: at,
  expires_at: null,
  last_used_at: null,
  grace_until: null,
};
const price = {
  provider: 'openai',
  model: 'gpt-5',
  version: 1,
  effective_from: at,
  currency: 'USD',
  input: '1.25',
  cached_input: '0.125',
  cache_write: '1.25',
  output: '10.00',
  request: '0.00',
  image: '0.00',
  audio: '0.00',
};
const gateway = {
  slug: 'berlin',
  name: 'Berlin',
  base_url: 'https://gw.example',
  has_credential: false,
  state: 'active',
  offer: null,
  metering: 'inject',
  listed_models: 1,
  offered_models: ['llama3'],
  synced_at: at,
  tried_at: at,
  stale_since: null,
  failures: 0,
  last_error: null,
  created_at: at,
} as const;
const payment = {
  id: 'p',
  created_at: at,
  kind: 'payment',
  amount: '20.00',
  currency: 'USD',
  reference: 'a',
  note: '',
} as const;
const accountUsage = {
  ...sums,
  account_id: 'acc_1',
  account_name: 'Example',
  day: '2026-11-28',
  key_id: 'hk_1',
  key_name: 'ci',
};
const usage = {
  ...accountUsage,
  provider: 'openai',
  model: 'gpt-5',
  cache_write_tokens: 0,
  cost: '0.0001',
  currency: 'USD',
};
const statement = {
  object: 'statement',
  account: 'acc_1',
  name: 'Example',
  currency: 'USD',
  from: at,
  to: at,
  opening_balance: '0.00',
  payments: '20.00',
  refunds: '0.00',
  usage: '0.0001',
  closing_balance: '19.9999',
} as const;

const tables: Readonly<Record<string, string>> = {
  'private-gateway usage': renderUsage({ usage: [gatewayUsage] }, 'key'),
  'private-gateway usage --by model': renderUsage({ usage: [gatewayUsage] }, 'model'),
  'private-gateway usage --by day': renderUsage({ usage: [gatewayUsage] }, 'day'),
  'private-gateway requests': REQUEST_HEADS + renderRequest(request),
  'private-gateway keys list': renderKeys({ keys: [gatewayKey] }),
  'hosted-api accounts list': renderAccounts({ accounts: [account] }),
  'hosted-api keys list': renderAccountKeys({ keys: [accountKey] }),
  'hosted-api prices list': renderPrices({ prices: [price] }),
  'hosted-api gateways list': renderGateways({ gateways: [gateway as never] }),
  'hosted-api accounts statement': renderPayments([payment]),
  'hosted-api usage': renderSums([usage]),
};
const HEADS = new Set(Object.values(LABELS).map((label) => label.toUpperCase()));

describe('the table of', () => {
  it.each(Object.entries(tables))('%s has heads of the one table of words', (_, text) => {
    const [header = ''] = text.split('\n');
    // One space is within a head; the list of requests has one between columns too, which are of a known width.
    const heads = header.startsWith('TIME                STATUS') ? splitFixed(header) : header.trim().split(/ {2,}/);
    expect(heads.filter((head) => !HEADS.has(head))).toEqual([]);
    expect(heads.length).toBeGreaterThan(4);
  });

  it.each(Object.entries(tables))('%s has a column of its own for no currency', (_, text) => {
    expect(text).not.toContain('CURRENCY');
  });
});

it('amounts of commands have their currency and commas', () => {
  expect(tables['private-gateway usage']).toContain('1,234.50 EUR');
  expect(tables['private-gateway keys list']).toContain(
    '2.50 EUR of 20.00 EUR a month, 0.0001 EUR reserved; 12,000 tokens of 5,000,000 tokens in total',
  );
  expect(tables['hosted-api accounts list']).toContain('1,234.50 USD');
  expect(tables['hosted-api keys list']).toContain('5.00 USD a day');
  expect(tables['hosted-api prices list']).toContain('0.125 USD');
  expect(tables['hosted-api usage']).toContain('0.0001 USD');
  expect(renderStatement.render({ statement, payments: [payment] })).toContain('-0.0001 USD');
});

it('no page has the title of a column that stands in the table of words as a text of its own', () => {
  const words = new Set<string>(Object.values(LABELS));
  const found = readSourceTree(['src/pages/admin', 'src/pages/operator', 'src/pages/account']).flatMap(
    ({ path, text }) =>
      [...text.matchAll(/id: '\w+',\s*title: '([^']+)'/g)].flatMap(([, title = '']) =>
        words.has(title) ? [`${path}: ${title}`] : [],
      ),
  );
  expect(found).toEqual([]);
});

/** The list of requests has one space between columns. */
function splitFixed(header: string): readonly string[] {
  const heads: string[] = [];
  let rest = header.trim();
  while (rest !== '') {
    const head = [...HEADS].toSorted((a, b) => b.length - a.length).find((each) => rest.startsWith(each));
    if (head === undefined) return [...heads, rest];
    heads.push(head);
    rest = rest.slice(head.length).trim();
  }
  return heads;
}

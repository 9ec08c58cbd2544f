import { describe, expect, it } from 'vitest';
import { readPorts } from '../../../src/pages/admin/detection/read-ports.js';
import * as runtimes from '../../../src/pages/admin/detection/runtime-draft.js';
import {
  errorsOf as formErrors,
  readFormValues,
  toEdits,
  toTexts as formTexts,
} from '../../../src/pages/admin/configuration/form-fields.js';
import * as keys from '../../../src/pages/admin/keys/key-draft.js';
import { readRange } from '../../../src/pages/kit/traffic/time-range.js';
import * as models from '../../../src/pages/admin/models/model-draft.js';
import { readSearch } from '../../../src/pages/admin/requests/read-search.js';
import { toActorRows } from '../../../src/pages/kit/system/actor-rows.js';
import { GatewayFile } from '../../../src/gateway/config/schema/gateway-file.js';
import { toWords } from '../../../src/pages/kit/editor/yaml-words.js';
import { windowOf } from '../../../src/pages/kit/table/row-window.js';

const key = {
  id: 'vk_a',
  name: 'A',
  prefix: 'gwk_abcdef',
  origin: 'database',
  state: 'active',
  models: ['demo', 'llama-*'],
  expires_at: '2027-01-31T12:34:56Z',
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  grace_until: null,
  limits: {
    requests_per_minute: 60,
    requests_left: 59,
    tokens_per_minute: null,
    tokens_left: null,
    parallel_requests: null,
    running_requests: 0,
    max_output_tokens: null,
    budgets: [{ unit: 'EUR', window: 'month', limit: '20.00', used: '1', held: '0', resets_at: null }],
  },
  used: { day_tokens: 0, month_tokens: 0, total_tokens: 0 },
  etag: 'x',
} as const;

describe('a key as it is typed', () => {
  it('is the key that it began with, to the second, where nothing was changed', () => {
    expect(keys.toRules(keys.toDraft(key), key)).toEqual({
      name: 'A',
      models: ['demo', 'llama-*'],
      expires_at: '2027-01-31T12:34:56Z',
      limits: { requests_per_minute: 60, budget: [{ amount: '20.00', currency: 'EUR', window: 'month' }] },
    });
  });

  it('has all models, none, or those that are ticked and written', () => {
    const draft = { ...keys.EMPTY_KEY, name: 'A', models: ['demo'], patterns: 'x-*\n y, demo' };
    expect(keys.toRules({ ...draft, choice: 'all' }).models).toBeNull();
    expect(keys.toRules({ ...draft, choice: 'none' }).models).toEqual([]);
    expect(keys.toRules({ ...draft, choice: 'some' }).models).toEqual(['demo', 'x-*', 'y']);
    expect(Object.keys(keys.errorsOf({ ...keys.EMPTY_KEY, choice: 'some' }))).toEqual(['name', 'models']);
  });

  it('tells what is wrong with a limit or a budget', () => {
    const budget = { unit: 'money', amount: '1,5', currency: 'eu', window: 'day' } as const;
    const draft = {
      ...keys.EMPTY_KEY,
      name: 'A',
      numbers: { ...keys.EMPTY_KEY.numbers, parallel_requests: '0' },
      budgets: [budget, { ...budget, amount: '1.5' }, { ...budget, unit: 'tokens', amount: '' }],
    } as const;
    expect(Object.keys(keys.errorsOf(draft))).toEqual(['parallel_requests', 'budget0', 'budget1', 'budget2']);
  });

  it('is written in words, so that two versions can be compared', () => {
    expect(keys.toTexts(keys.toDraft(key))).toMatchObject({
      Models: 'demo, llama-*',
      'Requests a minute': '60',
      'Tokens a minute': 'no limit',
      Budgets: '20.00 EUR a month',
    });
  });
});

it('a model as it is typed is the model that it began with, and says what is wrong', () => {
  const target = { runtime: 'r', model: 'up', weight: 3, order: 1 };
  const shown = {
    id: 'm',
    targets: [{ ...target, healthy: true, breaker: 'closed', ejected: false, running: 0 }],
    max_output_tokens: null,
    price: { input_per_million: '0.10', output_per_million: '0.40', currency: 'EUR' },
  };
  const draft = models.toDraft(shown);
  expect(models.toRules(draft)).toEqual({ targets: [target], max_output_tokens: null, price: shown.price });
  expect(models.errorsOf(draft)).toEqual({});
  const wrong = { ...draft, id: 'a b', inputPrice: '', targets: [{ ...models.EMPTY_TARGET, runtime: 'r' }] };
  expect(Object.keys(models.errorsOf(wrong))).toEqual(['id', 'target0', 'input']);
});

it('a runtime as it is typed says where its key is, and never what it is', () => {
  const shown = {
    id: 'r',
    kind: 'vllm',
    title: 'vLLM',
    base_url: 'http://127.0.0.1:8000',
    fingerprint: null,
    metering: 'inject',
    translate: true,
    api_key: 'env A B',
    healthy: true,
    trouble: null,
    reason: null,
    models: [],
  } as const;
  const draft = runtimes.toDraft(shown, '');
  expect(runtimes.toRules(draft)).toEqual({
    base_url: shown.base_url,
    metering: 'inject',
    translate: true,
    api_key: { env: 'A B' },
  });
  expect(runtimes.toRules({ ...draft, keyFrom: 'none' }).api_key).toBeNull();
  expect(Object.keys(runtimes.errorsOf(runtimes.toDraft(undefined, 'vllm')))).toEqual(['id', 'baseUrl']);
});

it('ports as they are typed are numbers and spans of them, 64 at most', () => {
  expect(readPorts('')).toEqual({ value: undefined });
  expect(readPorts('11434, 8000-8002;8001')).toEqual({ value: [11434, 8000, 8001, 8002] });
  for (const text of ['0', '65536', '9-8', '1-2-3', 'x', '1-65', '1-40 100-140']) {
    expect([text, 'error' in readPorts(text)]).toEqual([text, true]);
  }
});

describe('the form of gateway.yaml', () => {
  const values = readFormValues(JSON.parse(JSON.stringify(GatewayFile)));
  const file = {
    listen: '127.0.0.1:9440',
    limits: { body_mib: 32, header_kib: 16, idle_stream_s: 300, request_s: 600, drain_s: 30 },
    retention: { request_log_days: 7, audit_days: 365 },
    passthrough: ['/v1/rerank'],
    cors_origins: [],
  };
  const texts = formTexts(values, file);

  it('has the fields of the schema, with what each may be', () => {
    expect(values.map(({ path }) => path)).toEqual([
      'listen',
      'limits.body_mib',
      'limits.header_kib',
      'limits.idle_stream_s',
      'limits.request_s',
      'limits.drain_s',
      'retention.request_log_days',
      'retention.audit_days',
      'passthrough',
      'cors_origins',
    ]);
    expect(formErrors(values, texts)).toEqual({});
    expect(Object.keys(formErrors(values, { ...texts, 'limits.drain_s': '3601', listen: ' ' }))).toEqual([
      'listen',
      'limits.drain_s',
    ]);
  });

  it('changes what was changed, keeps what the file has, and adds nothing that was not set', () => {
    expect(toEdits(values, texts, texts, '')).toEqual([]);
    const changed = { ...texts, 'limits.drain_s': '17', cors_origins: 'https://a.example\n\n https://b.example ' };
    expect(toEdits(values, texts, changed, 'limits:\n  body_mib: 32 # as before\n')).toEqual([
      { action: 'set', field: 'limits', value: { body_mib: 32, drain_s: 17 } },
      { action: 'set', field: 'cors_origins', value: ['https://a.example', 'https://b.example'] },
    ]);
  });
});

it('a search is what its form says', () => {
  expect(['vk_a', 'rate_limit_exceeded', '7a9c-1', ''].map(readSearch)).toEqual([
    { key_id: 'vk_a' },
    { error_code: 'rate_limit_exceeded' },
    { request_id: '7a9c-1' },
    {},
  ]);
});

it('a range ends now, or has a beginning and an end of its own', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  expect(readRange({ range: '1y' }, now)).toEqual({ name: '1y', from: '2025-11-26T12:00:00.000Z', to: '' });
  expect(readRange({}, now).name).toBe('24h');
  expect(readRange({ range: 'none' }, now).name).toBe('24h');
  expect(readRange({ from: 'a', to: 'b' }, now)).toEqual({ name: 'own', from: 'a', to: 'b' });
});

it('a tree of actors becomes rows, and what is no tree none', () => {
  const actor = {
    id: 'a',
    placement: 'inline',
    state: 'running',
    restarts: 1,
    mailboxDepth: 2,
    uptimeMs: 3,
    children: [],
  };
  const rows = toActorRows({ ...actor, id: 'top', placement: 'supervisor', children: [actor, { ...actor, id: 'b' }] });
  expect(rows.map(({ path, depth }) => [path, depth])).toEqual([
    ['/top', 0],
    ['/top/a', 1],
    ['/top/b', 1],
  ]);
  expect([toActorRows(null), toActorRows([]), toActorRows({ children: [actor] })]).toEqual([[], [], []]);
});

it('a line of YAML is coloured by its pieces, and none of it is lost', () => {
  const lines = [
    '  - id: demo # the first',
    "price: { input: '0.10', n: -1.5, b: true }",
    '# all',
    'a#b: c#d',
    '"quoted key": "x: y"',
    '    - plain text: with: colons',
    '',
    '\t',
    "it's: 'it''s'",
  ];
  for (const line of lines)
    expect(
      toWords(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  expect(toWords(lines[0] ?? '').filter(({ kind }) => kind !== 'plain')).toEqual([
    { kind: 'mark', text: '  - ' },
    { kind: 'key', text: 'id' },
    { kind: 'mark', text: ':' },
    { kind: 'comment', text: ' # the first' },
  ]);
  expect(
    toWords(lines[1] ?? '')
      .filter(({ kind }) => ['text', 'value'].includes(kind))
      .map(({ text }) => text),
  ).toEqual(["'0.10'", '-1.5', 'true']);
});

it('of a long table those rows are drawn that are seen, and a few around them', () => {
  expect(windowOf(50_000, 0, 360, 36)).toEqual({ first: 0, end: 18 });
  expect(windowOf(50_000, 36_000, 360, 36)).toEqual({ first: 992, end: 1_018 });
  expect(windowOf(50_000, 9_999_999, 360, 36)).toEqual({ first: 49_982, end: 50_000 });
  expect(windowOf(3, 500, 360, 36)).toEqual({ first: 0, end: 3 });
  expect(windowOf(50_000, 0, 0, 36).end).toBe(33);
});

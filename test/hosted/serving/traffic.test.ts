// Requests over time as the operator and an account see them: answered, refused, failed and left apart.
import { expect, it } from 'vitest';
import type { Static } from '../../../src/schema/index.js';
import type { TrafficSeries } from '../../../src/api/index.js';
import { completion, startRuntime, whole, type Play } from '../../gateway/serving/runtime.js';
import { codeOfFailure } from '../../metering/open-test-meter.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted, type StartedHosted } from './start-hosted.js';
import { chatBody, type FileParts } from '../../support/start-product.js';

const HOUR_MS = 3_600_000;
const play: Play = async ({ body }, socket) =>
  void socket.write(body.includes('"fail":true') ? failure : whole(completion(10, 5)));
const failure = 'HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const jsonOf = ({ body }: Received): FileParts => JSON.parse(body.toString()) as FileParts;

type Traffic = Static<typeof TrafficSeries> & {
  readonly statuses: readonly { readonly name: string; readonly requests: number }[];
  readonly codes: readonly { readonly name: string; readonly requests: number }[];
};
const traffic = (node: StartedHosted, params: object = {}): Promise<Traffic> =>
  node.operate('traffic.show', params) as Promise<Traffic>;
const counts = (parts: Traffic['codes']): object =>
  Object.fromEntries(parts.map(({ name, requests }) => [name, requests]));

it('answered, refused and failed requests are counted apart, for the operator and for each account', async () => {
  await using provider = await startRuntime(play);
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const [ann, bob] = [await node.payer(), await node.payer(0)];
  expect((await chat(node, ann)).status).toBe(200);
  expect((await chat(node, ann, { model: 'none' })).status).toBe(404);
  expect((await chat(node, ann, { fail: true })).status).toBe(503);
  expect((await chat(node, bob)).status).toBe(402);
  const unknown = { authorization: `Bearer ${ann.secret.slice(0, -1)}A` };
  const path = '/v1/chat/completions';
  expect((await ask(node.port, 'POST', path, chatBody(), undefined, unknown)).status).toBe(401);
  // A list of models is no request for a model.
  expect((await ask(node.port, 'GET', '/up/v1/models', '', undefined, ann.headers)).status).toBe(200);
  await settledOf(node, ann, 2);

  const all = await traffic(node);
  expect(all).toMatchObject({
    step: 'hour',
    complete: true,
    total: {
      requests: 5,
      answered: 1,
      refused: 3,
      failed: 1,
      errors: 4,
      aborted: 0,
      prompt_tokens: 10,
      completion_tokens: 5,
    },
    spend: [{ currency: 'USD', amount: '0.00002' }],
  });
  expect(all.total.duration_p50_ms).toBeGreaterThan(0);
  // An answer of one piece has a first byte too.
  expect(all.total.first_byte_p50_ms).toBeGreaterThan(0);
  expect(counts(all.statuses)).toEqual({ 200: 1, 401: 1, 402: 1, 404: 1, 503: 1 });
  expect(counts(all.codes)).toEqual({ model_not_priced: 1, insufficient_credit: 1, invalid_api_key: 1 });
  expect((await traffic(node, { account_id: bob.account.id })).total).toMatchObject({ requests: 1, refused: 1 });
  expect((await traffic(node, { provider: 'up' })).total).toMatchObject({ requests: 4, answered: 1, failed: 1 });
  expect((await traffic(node, { provider: 'up', model: 'demo' })).total).toMatchObject({ requests: 3, refused: 1 });

  const own = jsonOf(await ask(node.port, 'GET', '/v1/usage/series', '', undefined, ann.headers));
  expect(own).toMatchObject({ total: { requests: 3, answered: 1, refused: 1, failed: 1 }, complete: true });
  expect(Object.keys(own)).not.toContain('codes');
});

it('steps are minutes, hours and days by the length of a time, and those that a subject does not have are refused', async () => {
  await using node = await startHosted({});
  const nowMs = Date.now();
  const from = (ms: number): string => new Date(nowMs - ms).toISOString();
  const stepOf = async (params: object): Promise<string> => (await traffic(node, params)).step;
  expect(await stepOf({ from: from(HOUR_MS) })).toBe('minute');
  expect(await stepOf({ from: from(HOUR_MS), account_id: 'acc_1' })).toBe('hour');
  expect(await stepOf({ from: from(7 * 24 * HOUR_MS) })).toBe('hour');
  expect(await stepOf({ from: from(365 * 24 * HOUR_MS) })).toBe('day');
  // Of three days ago there are no minutes any more, and of last year no hours.
  expect(await stepOf({ from: from(73 * HOUR_MS), to: from(72 * HOUR_MS) })).toBe('hour');
  expect(await stepOf({ from: from(100 * 24 * HOUR_MS), to: from(99 * 24 * HOUR_MS) })).toBe('day');
  const wrong = [
    { from: from(HOUR_MS), account_id: 'acc_1', step: 'minute' },
    { from: from(365 * 24 * HOUR_MS), step: 'hour' },
    { from: from(-HOUR_MS) },
    { from: 'yesterday' },
    { model: 'demo' },
    { account_id: 'acc_1', provider: 'up' },
  ];
  for (const params of wrong)
    expect([params, await codeOfFailure(() => traffic(node, params))]).toEqual([params, 'invalid_value']);
});

// Paths of a provider with and without a dialect, and those of a connected gateway: what their answers tell is charged.
import { expect, it } from 'vitest';
import { fieldOf, lastOf, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { providerAt, settledOf, startHosted } from './start-hosted.js';
import { chatBody } from '../../support/start-product.js';

const ALLOWED = { allow_private: ['127.0.0.0/8'] };
const chatUsage = { prompt_tokens: 4, completion_tokens: 2 };

it.each([
  ['/v1/rerank', undefined, { results: [], usage: { total_tokens: 38 } }, 38, 0],
  ['/v1/rerank', 'rerank', { results: [], meta: { tokens: { input_tokens: 38 } } }, 38, 0],
  ['/v1/rerank', 'none', { results: [], usage: { prompt_tokens: 38, total_tokens: 38 } }, 38, 0],
  ['/api/chat', undefined, { message: { content: 'a' }, prompt_eval_count: 26, eval_count: 9 }, 26, 9],
  ['/api/embed', undefined, { embeddings: [[1]], prompt_eval_count: 26 }, 26, 0],
  ['/other/v1/chat/completions', undefined, { choices: [], usage: chatUsage }, 4, 2],
  ['/anything', undefined, { some: 1, usage: chatUsage }, 4, 2],
] as const)(
  '%s with dialect %s is charged what its answer tells',
  async (path, dialect, answer, prompt, completion) => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(JSON.stringify(answer))));
    const paths = [dialect === undefined ? { path } : { path, dialect }];
    await using node = await startHosted({ providers: [providerAt(provider.url, { paths })] });
    await node.price();
    const payer = await node.payer();
    const body = JSON.stringify({ model: 'demo', query: 'What?', documents: ['a'], messages: [] });
    const got = await ask(node.port, 'POST', `/up${path}?x=1`, body, undefined, payer.headers);
    expect([got.status, lastOf(provider).target]).toEqual([200, `${path}?x=1`]);
    const costMicro = BigInt(prompt + 2 * completion);
    const told = { promptTokens: prompt, completionTokens: completion, isEstimated: false, costMicro };
    expect(await settledOf(node, payer)).toMatchObject([told]);
  },
);

it.each([
  ['/up/v1/messages/count_tokens', undefined],
  ['/up/v1/messages/count_tokens', 'none'],
  ['/up/v1/messages/count_tokens', 'count-tokens'],
  ['/up/tokenize', undefined],
  ['/pgw/lab/v1/messages/count_tokens', undefined],
] as const)('%s with dialect %s costs nothing, not even the price of a request', async (path, dialect) => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole('{"input_tokens":1200}')));
  const own = { path: path.replace('/up', ''), ...(dialect !== undefined && { dialect }) };
  const paths = path.startsWith('/up') ? [own] : [{ path: '/v1/chat/completions' }];
  await using node = await startHosted({ providers: [providerAt(provider.url, { paths })], gateways: ALLOWED });
  await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: provider.url, credential: 'sealed' });
  for (const [owner, model] of [
    ['up', 'up'],
    ['pgw/lab', 'up'],
  ] as const) {
    await node.price(model, { provider: owner, requestNano: 1_000_000n });
  }
  const payer = await node.payer();
  const body = chatBody({ model: 'up', messages: [{ role: 'user', content: 'lorem ipsum '.repeat(400) }] });
  const got = await ask(node.port, 'POST', `${path}?beta=true`, body, undefined, payer.headers);
  expect([got.status, got.body.toString()]).toEqual([200, '{"input_tokens":1200}']);
  expect(lastOf(provider).target).toMatch(/\?beta=true$/);
  if (path.startsWith('/pgw')) expect(fieldOf(lastOf(provider), 'x-api-key')).toBe('sealed');
  const nothing = { promptTokens: 0, completionTokens: 0, costMicro: 0n, isEstimated: false };
  expect(await settledOf(node, payer)).toMatchObject([nothing]);
  const account = await node.billing.accounts.get(payer.account.id);
  expect([account.availableMicro, account.heldMicro]).toEqual([100_000_000n, 0n]);
});

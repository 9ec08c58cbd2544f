// A model that is down at a connected gateway ends no other model of it, for any account.
import { expect, it } from 'vitest';
import { completion } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { chatBody, SOON } from '../../support/start-product.js';
import { listOf, startListing } from '../gateways/listing-server.js';
import { startHosted, type Payer } from './start-hosted.js';

it('twelve answers 503 of one model leave the others of its gateway at work', async () => {
  const list = listOf('bad', 'good');
  await using upstream = await startListing((response, request) => {
    if (request.method === 'GET') return list(response, request);
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const isDown = body.includes('"bad"');
      response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
      response.end(isDown ? '{"error":{"message":"no memory"}}' : completion(3, 1));
    });
  });
  await using node = await startHosted({ gateways: { allow_private: ['127.0.0.0/8'] } });
  await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: upstream.url });
  for (const model of ['bad', 'good']) await node.price(model, { provider: 'pgw/lab' });
  const [first, second] = [await node.payer(), await node.payer()];
  const statusOf = async ({ headers }: Payer, model: string): Promise<number> =>
    (await ask(node.port, 'POST', '/v1/chat/completions', chatBody({ model: `pgw/lab/${model}` }), undefined, headers))
      .status;
  await expect.poll(() => statusOf(first, 'good'), SOON).toBe(200);
  const bad: number[] = [];
  for (let i = 0; i < 12; i++) bad.push(await statusOf(first, 'bad'));
  expect(bad).toEqual(bad.map(() => 503));
  for (const payer of [first, second]) expect(await statusOf(payer, 'good')).toBe(200);
});

// Relays on threads of their own, behind one port and with one ledger.
import { Agent, request as send } from 'node:http';
import { expect, it } from 'vitest';
import { canSharePort, chooseTransport } from '../../src/http/index.js';
import { signalOf, until, uwsDirectory } from '../http/over-transports.js';
import { ask } from '../relay/raw-upstream.js';
import { always, completion, openEvents, startRuntime, type Play } from './serving/runtime.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway, type StartedGateway } from './serving/start-gateway.js';
import { chatBody, type FileParts } from '../support/start-product.js';
import { expectWithin } from '../support/elapsed.js';

const transport = await chooseTransport('auto', '127.0.0.1', uwsDirectory).catch(() => 'node' as const);
const reason = canSharePort(transport) ? '' : `: skipped, ${transport} on this Node and system cannot share a port`;
const onThreads = it.skipIf(reason !== '');

/** A connection of its own for each request. */
class OneConnection extends Agent implements Disposable {
  [Symbol.dispose](): void {
    this.destroy();
  }
}

function startTwo(parts: FileParts): Promise<StartedGateway> {
  return startGateway(parts, { relayThreads: 2, transport });
}

/** How many requests each relay has answered with 200. */
async function answeredBy({ port }: StartedGateway): Promise<readonly number[]> {
  const { body } = await ask(port, 'GET', '/metrics');
  const lines = body
    .toString()
    .matchAll(/requests_total\{relay="(\d)",route="\/v1\/chat\/completions",status="200"\} (\d+)/g);
  const counts = [0, 0];
  for (const [, relay = '', count = ''] of lines) counts[Number(relay)] = Number(count);
  return counts;
}

onThreads(`both relays of two answer, and their metrics are one text${reason}`, async () => {
  await using runtime = await startRuntime(always(completion(5, 5)));
  const key = makeKey();
  await using started = await startTwo({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  // The system spreads connections, not requests.
  for (let i = 0; i < 200 && (await answeredBy(started)).includes(0); i++) {
    using agent = new OneConnection();
    const { status } = await ask(started.port, 'POST', '/v1/chat/completions', chatBody(), agent, key.headers);
    expect(status).toBe(200);
  }
  const counts = await answeredBy(started);
  expect(counts.every((count) => count > 0)).toBe(true);
  expect(started.meter.usage({ by: 'key' })[0]?.requests).toBe(counts.reduce((sum, count) => sum + count, 0));
});

onThreads('a limit of a key is one limit, whichever relay is asked', async () => {
  await using runtime = await startRuntime(always(completion(5, 5)));
  const key = makeKey('vk_a', { limits: { requests_per_minute: 20, budget: { tokens: 1_000_000, window: 'day' } } });
  await using started = await startTwo({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const answers = await Promise.all(Array.from({ length: 60 }, () => chat(started, key)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  await until(() => started.meter.usageOf('vk_a').runningRequests === 0);
  expect(started.meter.usageOf('vk_a').budgets[0]).toMatchObject({ used: 200n, held: 0n });
});

/** A stream that has begun and stays open. */
const openStream: Play = (_, socket) => openEvents(socket).token();

function readStream(
  port: number,
  authorization: string,
): { readonly begun: Promise<void>; readonly text: Promise<string> } {
  const begun = signalOf();
  const text = new Promise<string>((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const request = send({ port, method: 'POST', path: '/v1/chat/completions', headers, agent: new Agent() });
    request.on('error', reject);
    request.on('response', (response) => {
      let all = '';
      response.setEncoding('latin1');
      response.on('data', (piece: string) => {
        all += piece;
        begun.resolve();
      });
      response.on('end', () => resolve(all));
      response.on('error', reject);
    });
    request.end(JSON.stringify({ model: 'demo', stream: true, messages: [{ role: 'user', content: 'Hi' }] }));
  });
  return { begun: begun.promise, text };
}

onThreads('a key that is revoked ends its streams on every relay within a second', async () => {
  await using runtime = await startRuntime(openStream);
  const key = makeKey();
  await using started = await startTwo({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const streams = Array.from({ length: 8 }, () => readStream(started.port, key.headers.authorization));
  await Promise.all(streams.map(({ begun }) => begun));
  const atMs = performance.now();
  await started.meter.setKeyState('vk_a', 'revoked', { kind: 'cli' });
  const texts = await Promise.all(streams.map(({ text }) => text));
  expectWithin(1_000, atMs);
  for (const text of texts) expect(text).toContain('invalid_api_key');
  expect((await chat(started, key)).status).toBe(401);
  await until(() => started.meter.usageOf('vk_a').runningRequests === 0);
});

onThreads('a changed file is taken up by every relay', async () => {
  await using runtime = await startRuntime(always(completion(5, 5)));
  const key = makeKey();
  await using started = await startTwo({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  await started.rewrite({ models: [modelOf({ id: 'other' })] });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => chat(started, key, { model: i % 2 === 0 ? 'other' : 'demo' })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 2 === 0 ? 200 : 404)));
});

// A configuration file that changes while requests run.
import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { completion, openEvents, startRuntime, whole, type Play } from '../../gateway/serving/runtime.js';
import { signalOf } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chatBody, SOON } from '../../support/start-product.js';
import { describeTransports, type RelayingProduct } from './relay-products.js';

const play: Play = async ({ body }, socket) => {
  if (!body.includes('"stream":true')) return void socket.write(whole(completion(3, 2)));
  const events = openEvents(socket);
  for (let i = 0; i < 20; i++) {
    events.token();
    await new Promise((resolve) => setImmediate(resolve));
  }
  events.end();
};

/** What an operator sees of the file. */
async function configOf({ url }: RelayingProduct): Promise<unknown> {
  return ((await (await fetch(`${url}/health`)).json()) as { config: unknown }).config;
}

describeTransports('a changed file', ({ chatPath, start }, transport) => {
  it('is taken up under load, and no request is lost', async () => {
    await using a = await startRuntime(play);
    await using b = await startRuntime(play);
    await using product = await start(a.url, { transport });
    const { headers } = await product.caller();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    let isOver = false;
    let count = 0;
    const drink = async (stream: boolean): Promise<void> => {
      while (!isOver) {
        const body = chatBody({ ...(stream && { stream }) });
        const got = await ask(product.port, 'POST', chatPath, body, agent, headers);
        expect([got.status, got.isBroken]).toEqual([200, false]);
        expect(got.body.toString().endsWith(stream ? 'data: [DONE]\n\n' : '}}')).toBe(true);
        count++;
      }
    };
    const clients = Array.from({ length: 16 }, (_, i) => drink(i % 2 === 0));
    const reloads = 24;
    try {
      for (let i = 0; i < reloads; i++) {
        await product.rewrite({
          ...product.aim(i % 2 === 0 ? b.url : a.url),
          ...product.vary(i),
          limits: { body_mib: 1 + (i % 5) },
          cors_origins: i % 2 === 0 ? [] : [`https://a${i}.example`],
        });
        const before = count;
        await expect.poll(() => count > before + 16, SOON).toBe(true);
      }
    } finally {
      isOver = true;
    }
    await Promise.all(clients);
    agent.destroy();
    for (const { asked } of [a, b]) expect(asked.length).toBeGreaterThan(100);
    expect(product.events.filter(({ event }) => event === 'config reloaded')).toHaveLength(reloads);
    expect(await configOf(product)).toEqual({ in_use: true, refused: null });
  });

  it('leaves requests to an upstream that is gone from it to their end', async () => {
    const [begun, goOn] = [signalOf(), signalOf()];
    await using old = await startRuntime(async (_, socket) => {
      const events = openEvents(socket);
      events.token();
      begun.resolve();
      await goOn.promise;
      events.token();
      events.end();
    });
    await using fresh = await startRuntime(play);
    await using product = await start(old.url, { transport });
    const caller = await product.caller();
    const running = product.chat(caller, { stream: true });
    await begun.promise;
    await product.rewrite(product.aim(fresh.url));
    expect((await product.chat(caller)).status).toBe(200);
    expect(fresh.asked).toHaveLength(1);
    goOn.resolve();
    const got = await running;
    expect([got.status, got.isBroken, got.body.toString().split('" a"').length]).toEqual([200, false, 3]);
  });

  it('that cannot be used changes nothing and says so, until the file can be', async () => {
    await using upstream = await startRuntime(play);
    await using product = await start(upstream.url, { transport });
    const caller = await product.caller();
    const inUse = { in_use: true, refused: null };
    expect(await configOf(product)).toEqual(inUse);
    await product.rewrite({ modles: [] });
    expect(await configOf(product)).toEqual({ in_use: false, refused: expect.stringContaining('modles') as string });
    await product.rewrite({ modles: undefined, ...product.aim('ftp://x') });
    expect(await configOf(product)).toMatchObject({ in_use: false });
    expect((await product.chat(caller)).status).toBe(200);
    const ready = await fetch(`${product.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
    // The very text that is in use.
    await product.rewrite(product.aim(upstream.url));
    expect(await configOf(product)).toEqual(inUse);
    expect((await product.chat(caller)).status).toBe(200);
  });
});

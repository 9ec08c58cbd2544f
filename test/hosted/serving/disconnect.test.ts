// Clients that leave, and upstreams that cut: what is charged then.
import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { openEvents, startRuntime, whole, completion, type EventWriter } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted, type Payer, type StartedHosted } from './start-hosted.js';
import { chatBody, SOON } from '../../support/start-product.js';

/** Sends a stream, and leaves when as many bytes came; with 0 as soon as the upstream was asked. */
function leaveAfter(node: StartedHosted, payer: Payer, bytes: number, whenAsked: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const body = chatBody({ stream: true });
    const headers = { ...payer.headers, 'content-length': String(body.length) };
    const request = httpRequest(
      { port: node.port, method: 'POST', path: '/up/v1/chat/completions', headers },
      (answer) => {
        let count = 0;
        answer.on('data', (piece: Buffer) => {
          count += piece.length;
          if (bytes > 0 && count >= bytes) request.destroy();
        });
        answer.on('close', () => resolve());
      },
    );
    request.on('error', () => resolve());
    request.end(body);
    if (bytes === 0) void whenAsked.then(() => setTimeout(() => request.destroy(), 50));
  });
}

/** A stream that a test goes on with. */
function openLater(): { readonly writer: Promise<EventWriter>; readonly take: (writer: EventWriter) => void } {
  let take!: (writer: EventWriter) => void;
  const writer = new Promise<EventWriter>((resolve) => (take = resolve));
  return { writer, take };
}

it('a client that left a stream pays what the provider tells at its end', async () => {
  const { writer, take } = openLater();
  await using provider = await startRuntime((_, socket) => take(openEvents(socket)));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer();
  const events = writer.then((opened) => {
    opened.token();
    return opened;
  });
  await leaveAfter(node, payer, 1, Promise.resolve());
  const open = await events;
  const metrics = async (): Promise<string> => (await ask(node.port, 'GET', '/metrics', '')).body.toString();
  await expect.poll(metrics, SOON).toContain('troupe_hosted_read_on_running 1');
  for (let i = 0; i < 5; i++) open.token();
  open.usage(50, 6);
  open.end();
  expect(await settledOf(node, payer)).toMatchObject([
    { state: 'settled', promptTokens: 50, completionTokens: 6, isEstimated: false, costMicro: 62n },
  ]);
  const relayed = (): readonly unknown[] => node.lines.filter(({ provider: id }) => id === 'up');
  await expect.poll(relayed, SOON).toMatchObject([{ status: 499, completion_tokens: 6 }]);
});

it('a client that left pays an estimate where its provider does not end in time, and the provider is stopped', async () => {
  const { writer, take } = openLater();
  let isClosed = false;
  await using provider = await startRuntime((_, socket) => {
    socket.once('close', () => (isClosed = true));
    take(openEvents(socket));
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)], limits: { disconnect_s: 1 } });
  await node.price();
  const payer = await node.payer();
  void writer.then((opened) => {
    for (let i = 0; i < 4; i++) opened.token();
  });
  await leaveAfter(node, payer, 1, Promise.resolve());
  const [generation] = await settledOf(node, payer);
  expect(generation).toMatchObject({ state: 'settled', completionTokens: 4, isEstimated: true });
  await expect.poll(() => isClosed, SOON).toBe(true);
});

it('an answer is read on for so many tokens at most', async () => {
  const { writer, take } = openLater();
  let isClosed = false;
  await using provider = await startRuntime((_, socket) => {
    socket.once('close', () => (isClosed = true));
    take(openEvents(socket));
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)], limits: { disconnect_tokens: 10 } });
  await node.price();
  const payer = await node.payer();
  void writer.then((opened) => opened.token());
  await leaveAfter(node, payer, 1, Promise.resolve());
  const open = await writer;
  for (let i = 0; i < 200 && !isClosed; i++) {
    open.token();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(isClosed).toBe(true);
  const [generation] = await settledOf(node, payer);
  expect(generation?.completionTokens).toBeLessThan(40);
});

it('a client that left before the first byte pays nothing, and the provider is stopped', async () => {
  let tellAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (tellAsked = resolve));
  let isClosed = false;
  await using provider = await startRuntime((_, socket) => {
    socket.once('close', () => (isClosed = true));
    tellAsked();
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer();
  await leaveAfter(node, payer, 0, asked);
  expect(await settledOf(node, payer)).toMatchObject([{ state: 'voided', costMicro: 0n }]);
  await expect.poll(() => isClosed, SOON).toBe(true);
  const account = await node.billing.accounts.get(payer.account.id);
  expect([account.availableMicro, account.heldMicro]).toEqual([100_000_000n, 0n]);
});

it('what an upstream cut before its first token is not charged; what it cut later is, by what came', async () => {
  let calls = 0;
  await using provider = await startRuntime((_, socket) => {
    const events = openEvents(socket);
    if (calls++ > 0) for (let i = 0; i < 3; i++) events.token();
    setTimeout(() => socket.destroy(), 50);
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer();
  const first = await chat(node, payer, { stream: true });
  const second = await chat(node, payer, { stream: true });
  expect([first.isBroken, second.isBroken]).toEqual([true, true]);
  const generations = await settledOf(node, payer, 2);
  expect(generations.map(({ state, completionTokens }) => [state, completionTokens])).toEqual([
    ['settled', 3],
    ['voided', 0],
  ]);
});

it('a node that stops lets answers end, cuts the others with a last event, and leaves no hold', async () => {
  const { writer, take } = openLater();
  await using provider = await startRuntime((_, socket) => take(openEvents(socket)));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer();
  const answer = chat(node, payer, { stream: true });
  const events = await writer;
  events.token();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await node.hosted.drain(300);
  expect((await answer).body.toString()).toMatch(/" a".*shutting_down/s);
  const account = await node.billing.accounts.get(payer.account.id);
  expect(account.heldMicro).toBe(0n);
  expect(await settledOf(node, payer)).toMatchObject([{ state: 'settled', completionTokens: 1 }]);
});

it('an account that is nearly empty is refused, and a stream is cut where its money ends', async () => {
  await using provider = await startRuntime(async (asked, socket) => {
    if (!asked.body.includes('"stream"')) return void socket.write(whole(completion(1, 1)));
    const events = openEvents(socket);
    for (let i = 0; i < 400 && !socket.destroyed; i++) {
      for (let j = 0; j < 20; j++) events.token();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', { outputNano: 1_000_000n });
  const poor = await node.payer(1);
  const got = await chat(node, poor, { stream: true });
  expect(got.body.toString()).toContain('insufficient_credit');
  await settledOf(node, poor);
  const account = await node.billing.accounts.get(poor.account.id);
  expect(account.availableMicro).toBeGreaterThanOrEqual(0n);
  expect(account.availableMicro).toBeLessThan(500_000n);
  const none = await node.payer(0);
  const refused = await chat(node, none);
  expect([refused.status, JSON.parse(refused.body.toString())]).toMatchObject([
    402,
    { error: { code: 'insufficient_credit' } },
  ]);
});

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { mayServe } from '../../src/address/index.js';
import { systemClock, type LogEntry } from '../../src/base/index.js';
import { postJson, type OutgoingNetwork } from '../../src/outgoing/index.js';
import { parseWebhookSecret } from '../../src/alerts/signature.js';
import { WebhookQueue, type WebhookCounts } from '../../src/alerts/webhook-queue.js';
import { HandClock } from '../http/hand-clock.js';
import { SECRET, startReceiver } from './start-receiver.js';

const SOON = { timeout: 120_000, interval: 5 };
const network: OutgoingNetwork = { mayConnect: mayServe, clock: systemClock };
const HOUR_MS = 3_600_000;

interface Started {
  readonly queue: WebhookQueue;
  readonly clock: HandClock;
  readonly counts: WebhookCounts;
  readonly events: readonly LogEntry[];
  add(id: string): void;
  /** Until the attempt that is under way has failed, and waits. */
  rests(failed: number): Promise<void>;
}

function startQueue(url: string, random = 0): Started {
  const clock = new HandClock();
  const counts: WebhookCounts = { delivered: 0, failed: 0, dropped: 0 };
  const events: LogEntry[] = [];
  const webhook = { id: 'ops', url, secret: parseWebhookSecret(SECRET, 'ops'), events: [] };
  const log = (entry: LogEntry): void => void events.push(entry);
  const queue = new WebhookQueue(webhook, { network, clock, now: Date.now, log, random: () => random, counts });
  return {
    queue,
    clock,
    counts,
    events,
    add: (id) => queue.add({ id, type: 'test', body: JSON.stringify({ type: 'test', data: {} }) }),
    rests: (failed) => expect.poll(() => counts.failed === failed && clock.waiting === 1, SOON).toBe(true),
  };
}

describe('a queue of a webhook', () => {
  it('sends an alert once where it is taken, signed', async () => {
    await using receiver = await startReceiver();
    const { add, counts, queue } = startQueue(receiver.url);
    add('msg_a');
    await expect.poll(() => counts.delivered, SOON).toBe(1);
    expect(receiver.got).toHaveLength(1);
    expect(receiver.got[0]).toMatchObject({
      isSigned: true,
      headers: { 'webhook-id': 'msg_a', 'content-type': 'application/json' },
    });
    expect(queue.waiting).toBe(0);
  });

  it('tries again after 5 s, 10 s, 20 s …, with the same id and body', async () => {
    const SEEN = 5;
    await using receiver = await startReceiver((attempt, response) => {
      response.writeHead(attempt < SEEN ? 503 : 200).end();
    });
    // Just below 1: the whole wait.
    const { add, clock, counts, rests } = startQueue(receiver.url, 1 - Number.EPSILON);
    add('msg_a');
    for (let failed = 1; failed <= SEEN; failed++) {
      await rests(failed);
      const waitMs = 5_000 * 2 ** (failed - 1);
      clock.advance(waitMs - 10);
      expect(clock.waiting).toBe(1);
      clock.advance(10);
    }
    await expect.poll(() => counts, SOON).toEqual({ delivered: 1, failed: SEEN, dropped: 0 });
    expect(new Set(receiver.got.map(({ headers, text }) => `${String(headers['webhook-id'])} ${text}`)).size).toBe(1);
    expect(receiver.got.every(({ isSigned }) => isSigned)).toBe(true);
  });

  it('spreads retries over the second half of each wait', async () => {
    await using receiver = await startReceiver((_, response) => void response.writeHead(500).end());
    const { add, clock, rests } = startQueue(receiver.url, 0);
    add('msg_a');
    await rests(1);
    clock.advance(2_499);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    expect(clock.waiting).toBe(0);
    await rests(2);
  });

  it('gives an alert up after an hour, and counts it', async () => {
    await using receiver = await startReceiver((_, response) => void response.writeHead(500).end());
    const { add, clock, counts, events, queue } = startQueue(receiver.url);
    add('msg_a');
    for (let failed = 1; counts.dropped === 0; failed++) {
      await expect
        .poll(() => counts.failed >= failed && (clock.waiting === 1 || counts.dropped === 1), SOON)
        .toBe(true);
      clock.advance(600_000);
    }
    expect(clock.nowMs()).toBeLessThanOrEqual(2 * HOUR_MS);
    expect(queue.waiting).toBe(0);
    expect(events.at(-1)).toMatchObject({ event: 'alert dropped', why: 'given_up', webhook: 'ops', alert: 'msg_a' });
    // One line for the first failure and one for the end: no flood.
    expect(events).toHaveLength(2);
  });

  it('waits as long as Retry-After says, up to 10 minutes', async () => {
    await using receiver = await startReceiver((attempt, response) => {
      response.writeHead(429, { 'retry-after': attempt === 0 ? '60' : '99999' }).end();
    });
    const { add, clock, rests } = startQueue(receiver.url);
    add('msg_a');
    await rests(1);
    clock.advance(59_999);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    await rests(2);
    clock.advance(599_999);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    await rests(3);
  });

  it('drops an alert at once that its receiver says is gone (410)', async () => {
    await using receiver = await startReceiver((_, response) => void response.writeHead(410).end());
    const { add, counts, clock } = startQueue(receiver.url);
    add('msg_a');
    await expect.poll(() => counts, SOON).toEqual({ delivered: 0, failed: 1, dropped: 1 });
    expect(clock.waiting).toBe(0);
  });

  it('keeps at most 1,000 alerts, and counts those that it drops', async () => {
    await using receiver = await startReceiver(() => {});
    const { add, counts, queue, clock } = startQueue(receiver.url);
    for (let i = 0; i < 1_010; i++) add(`msg_${i}`);
    expect(queue.waiting).toBe(1_000);
    expect(counts.dropped).toBe(10);
    await expect.poll(() => receiver.got.length, SOON).toBe(4);
    const closing = queue.close(0);
    clock.advance(0);
    await closing;
    // Four are under way.
    expect(counts.dropped).toBe(1_006);
  });

  it('never has the URL in its log, which may have a token in its path', async () => {
    await using receiver = await startReceiver((_, response) => void response.writeHead(500).end());
    const { add, events, rests, queue } = startQueue(`${receiver.url}/T0KEN`);
    add('msg_a');
    await rests(1);
    await queue.close(0);
    const said = JSON.stringify(events);
    for (const secret of ['T0KEN', SECRET, SECRET.slice(6)]) expect(said).not.toContain(secret);
  });
});

describe('one attempt', () => {
  const asked = { body: '{}', headers: {} };

  it('does not follow a redirect', async () => {
    await using other = await startReceiver();
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    expect(await postJson(receiver.url, asked, network)).toMatchObject({
      isDelivered: false,
      status: 307,
      reason: 'redirect',
    });
    expect(other.got).toHaveLength(0);
  });

  it.each([
    ['http://169.254.169.254/latest'],
    ['http://[fd00:ec2::254]/'],
    ['http://0.0.0.0:9/'],
    ['http://[::ffff:169.254.169.254]/'],
    ['http://224.0.0.1/'],
  ])('does not connect to %s', async (url) => {
    expect(await postJson(url, asked, network)).toMatchObject({ isDelivered: false, reason: 'address_refused' });
  });

  it('does not connect where any address of a name is one that is never contacted', async () => {
    await using receiver = await startReceiver();
    const rebinding: OutgoingNetwork = {
      ...network,
      lookUpAll: (_, tell) =>
        tell(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '169.254.169.254', family: 4 },
        ]),
    };
    const url = receiver.url.replace('127.0.0.1', 'hooks.example');
    expect(await postJson(url, asked, rebinding)).toMatchObject({ reason: 'address_refused' });
    expect(receiver.got).toHaveLength(0);
  });

  it('reads no answer without end, and takes its status', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await postJson(receiver.url, asked, network)).toMatchObject({ isDelivered: true, status: 200 });
  });

  it('ends after 10 s without an answer', async () => {
    const clock = new HandClock();
    await using receiver = await startReceiver(() => {});
    const attempt = postJson(receiver.url, asked, { ...network, clock });
    await expect.poll(() => receiver.got.length, SOON).toBe(1);
    clock.advance(10_000);
    expect(await attempt).toMatchObject({ isDelivered: false, reason: 'timeout', status: undefined });
  });

  it('is total: a receiver that says no HTTP, or resets, is a reason', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume();
      if (connections++ === 0) socket.end('220 smtp\r\n');
      else socket.resetAndDestroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await postJson(url, asked, network)).toMatchObject({ isDelivered: false, status: undefined });
    expect(await postJson(url, asked, network)).toMatchObject({ isDelivered: false, status: undefined });
    await new Promise((done) => server.close(done));
    expect(await postJson(url, asked, network)).toMatchObject({ isDelivered: false, reason: 'ECONNREFUSED' });
  });
});

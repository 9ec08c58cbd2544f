import { describe, expect, it } from 'vitest';
import { sseBody } from '../support/sse-body.js';
import { openRaw, overTransports, signalOf, start } from './over-transports.js';

const collect = async (body: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const piece of body) all.push(piece);
  return all;
};
const onError = (error: unknown): string => JSON.stringify({ error: String(error) });

describe('an event stream', () => {
  it('has one event for each string, and ends with [DONE]', async () => {
    const events = async function* (): AsyncIterable<string> {
      yield '{"a":1}';
      yield '{"b":2}';
    };
    expect(await collect(sseBody(events(), { keepAliveMs: 1_000, onError }))).toEqual([
      'data: {"a":1}\n\n',
      'data: {"b":2}\n\n',
      'data: [DONE]\n\n',
    ]);
  });

  it('ends with the error, and without [DONE], when its source fails', async () => {
    const events = async function* (): AsyncIterable<string> {
      yield '1';
      throw new Error('gone');
    };
    expect(await collect(sseBody(events(), { keepAliveMs: 1_000, onError }))).toEqual([
      'data: 1\n\n',
      'data: {"error":"Error: gone"}\n\n',
    ]);
  });

  it('pings while its source is silent', async () => {
    const go = signalOf();
    const events = async function* (): AsyncIterable<string> {
      await go.promise;
      yield '1';
    };
    const pieces: string[] = [];
    for await (const piece of sseBody(events(), { keepAliveMs: 5, onError })) {
      pieces.push(piece);
      if (pieces.length === 3) go.resolve();
    }
    expect(pieces.slice(0, 3)).toEqual([': ping\n\n', ': ping\n\n', ': ping\n\n']);
    expect(pieces.slice(-2)).toEqual(['data: 1\n\n', 'data: [DONE]\n\n']);
  });

  it('ends its source when its reader leaves', async () => {
    let ended = false;
    const events = async function* (): AsyncIterable<string> {
      try {
        for (;;) yield 'x';
      } finally {
        ended = true;
      }
    };
    for await (const piece of sseBody(events(), { keepAliveMs: 1_000, onError })) {
      expect(piece).toBe('data: x\n\n');
      break;
    }
    expect(ended).toBe(true);
  });
});

overTransports('an event stream', (transport) => {
  it('arrives event by event, when each was produced', async () => {
    const steps = Array.from({ length: 4 }, () => signalOf());
    const events = async function* (): AsyncIterable<string> {
      for (const [i, step] of steps.entries()) {
        await step.promise;
        yield `😀${i}`;
      }
    };
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
    await using server = await start(transport, async () => ({
      status: 200,
      headers,
      body: sseBody(events(), { keepAliveMs: 60_000, onError }),
    }));
    using client = openRaw(server.port);
    client.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
    for (const [i, step] of steps.entries()) {
      step.resolve();
      const text = await client.until((received) => Buffer.from(received, 'latin1').toString().includes(`😀${i}\n\n`));
      expect(text).not.toContain(`${i + 1}\n\n`);
    }
    expect(await client.until((text) => text.endsWith('0\r\n\r\n'))).toContain('data: [DONE]');
  });

  it.runIf(transport === 'node')('has its head sent before the first event', async () => {
    const go = signalOf();
    const events = async function* (): AsyncIterable<string> {
      await go.promise;
      yield '1';
    };
    await using server = await start(transport, async () => ({
      status: 200,
      body: sseBody(events(), { keepAliveMs: 60_000, onError }),
    }));
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    expect(response.status).toBe(200);
    go.resolve();
    expect(await response.text()).toBe('data: 1\n\ndata: [DONE]\n\n');
  });
});

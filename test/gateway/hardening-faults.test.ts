// Upstreams in trouble, as a client of the gateway and its operator see them (F4).
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedRequest } from '../../src/metering/index.js';
import { HandClock } from '../http/hand-clock.js';
import { openRaw, until } from '../http/over-transports.js';
import { ask } from '../relay/raw-upstream.js';
import {
  chat,
  chatBody,
  codeOfAnswer,
  keyHeaders,
  startGateway,
  startProcess,
  type HardGateway,
} from './hardening-gateway.js';
import {
  chunk,
  chunkedHead,
  goodAnswer,
  pour,
  startFaulty,
  streamHead,
  tokenEvent,
  whole,
  type Fault,
  type FaultyUpstream,
} from './hardening-upstreams.js';

/** The target of redirects; no connection may arrive. */
async function startHoneypot(): Promise<AsyncDisposable & { readonly port: number; readonly visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    visits: () => visits,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

let honeypotPort = 0;
const faults: Readonly<Record<string, Fault>> = {
  good: (socket) => void socket.write(goodAnswer),
  busy: (socket) => void socket.write(whole('{"error":{"message":"busy"}}', [], '503 Service Unavailable')),
  limited: (socket) =>
    void socket.write(whole('{"error":{"message":"slow down"}}', ['Retry-After: 7'], '429 Too Many Requests')),
  reset: (socket) => {
    socket.write(chunkedHead + chunk(tokenEvent.repeat(3)));
    socket.once('drain', () => {});
    setImmediate(() => setTimeout(() => socket.resetAndDestroy(), 20));
  },
  'bad-chunk': (socket) => void socket.write(`${chunkedHead}${chunk(tokenEvent)}ZZ\r\nnothing\r\n`),
  'not-http': (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'wrong-type': (socket) => void socket.write(whole('<html>'.repeat(20), ['Content-Type: text/html'])),
  'error-body': (socket) => void socket.write(whole('{"error":{"message":"no memory","code":"oom"}}')),
  'broken-gzip': (socket) => void socket.write(whole('\x1f\x8b\x08\0garbage', ['Content-Encoding: gzip']), 'latin1'),
  redirect: (socket) =>
    void socket.write(whole('', [`Location: http://127.0.0.1:${honeypotPort}/v1/elsewhere`], '307 Temporary Redirect')),
  closes: (socket) => void socket.destroy(),
  'closes-early': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"choices":['),
  hole: () => {},
  drip: (socket) => void socket.write(streamHead),
  endless: (socket) => {
    socket.write(streamHead);
    return pour(socket, tokenEvent.repeat(200));
  },
};

/** Requests of a model as the operator's pages have them. */
function rowsOf({ gateway }: HardGateway, model: string): readonly LoggedRequest[] {
  return (gateway.meter?.requests({ limit: 100 }) ?? []).filter((row) => row.model === model);
}

/** What they were charged. */
function usageOf(gateway: HardGateway, model: string): { readonly tokens: number; readonly requests: number } {
  const rows = rowsOf(gateway, model);
  return {
    tokens: rows.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0),
    requests: rows.length,
  };
}

describe('an upstream in trouble', () => {
  const clock = new HandClock();
  let upstream: FaultyUpstream;
  let gateway: HardGateway;
  let honeypot: Awaited<ReturnType<typeof startHoneypot>>;
  beforeAll(async () => {
    honeypot = await startHoneypot();
    honeypotPort = honeypot.port;
    upstream = await startFaulty(faults);
    const upstreams = Object.fromEntries(Object.keys(faults).map((name) => [name, upstream.url]));
    gateway = await startGateway({ upstreams, keyLimits: '{ parallel_requests: 100 }' }, { clock });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    await honeypot[Symbol.asyncDispose]();
  });
  const send = (model: string, more: Readonly<Record<string, unknown>> = {}): ReturnType<typeof ask> =>
    askChat(gateway, model, more);

  it.each([
    // model, status, code, how often it was sent, tokens charged
    ['not-http', 502, 'upstream_error', 1, 0],
    ['closes', 502, 'upstream_error', 3, 0],
    ['busy', 503, undefined, 1, 0],
    ['limited', 429, undefined, 1, 0],
  ] as const)('that is %s is answered %d', async (model, status, code, times, tokens) => {
    const answer = await send(model);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(JSON.parse(answer.body.toString()).error).toMatchObject({ code });
    if (model === 'limited') expect(new Map(answer.fields).get('Retry-After')).toBe('7');
    expect(upstream.asked.get(model)).toBe(times);
    expect(usageOf(gateway, model)).toEqual({ tokens, requests: 1 });
  });

  it.each([
    ['reset', 2],
    ['bad-chunk', 1],
  ] as const)('breaks its answer off and is not asked again: %s', async (model, tokens) => {
    const answer = await send(model, { stream: true });
    expect(answer.status).toBe(200);
    expect(answer.isBroken).toBe(true);
    expect(upstream.asked.get(model)).toBe(1);
    await until(() => usageOf(gateway, model).requests === 1);
    const [row] = rowsOf(gateway, model);
    expect(row).toMatchObject({ completionTokens: tokens, isEstimated: true, errorCode: 'upstream_error' });
  });

  it('ends before its length and is not asked again', async () => {
    const answer = await send('closes-early');
    expect([answer.status, answer.isBroken]).toEqual([200, true]);
    expect(upstream.asked.get('closes-early')).toBe(1);
  });

  it('redirects: its client gets the error, and the gateway does not follow', async () => {
    const answer = await send('redirect');
    expect(answer.status).toBe(307);
    expect(new Map(answer.fields).get('Location')).toBe(`http://127.0.0.1:${honeypotPort}/v1/elsewhere`);
    expect(honeypot.visits()).toBe(0);
    expect(usageOf(gateway, 'redirect')).toEqual({ tokens: 0, requests: 1 });
  });

  it.each([
    ['wrong-type', '<html>'.repeat(20)],
    ['error-body', '{"error":{"message":"no memory","code":"oom"}}'],
    ['broken-gzip', '\x1f\x8b\x08\0garbage'],
  ] as const)('answers what is no completion, which passes as it is: %s', async (model, body) => {
    const answer = await send(model);
    expect([answer.status, answer.body.toString('latin1'), answer.isBroken]).toEqual([200, body, false]);
    expect(upstream.asked.get(model)).toBe(1);
    await until(() => usageOf(gateway, model).requests === 1);
  });

  it('says nothing: 504 when the time of the request is over', async () => {
    const answer = send('hole');
    await until(() => upstream.asked.get('hole') === 1);
    clock.advance(600_000);
    const { status, body } = await answer;
    expect(status).toBe(504);
    expect(JSON.parse(body.toString()).error).toMatchObject({ code: 'upstream_timeout' });
    expect(upstream.asked.get('hole')).toBe(1);
    expect(usageOf(gateway, 'hole').tokens).toBe(0);
  });

  it('sends without end: its reader leaves and it is stopped', async () => {
    const before = upstream.open();
    using client = openRaw(gateway.port);
    const body = chatBody('endless', { stream: true });
    client.send(requestText(gateway, body));
    await client.until((text) => text.length > 100_000);
    client.socket.destroy();
    await until(() => upstream.open() <= before);
    await until(() => usageOf(gateway, 'endless').requests === 1);
    const [row] = rowsOf(gateway, 'endless');
    expect(row).toMatchObject({ isAborted: true, status: 499 });
    expect(row?.completionTokens).toBeGreaterThan(1_000);
  });

  it('is left alone after 5 failures, and tried by one request after 30 s', async () => {
    const clocks = new HandClock();
    let works = false;
    await using runtime = await startFaulty({
      m: (socket) => (works ? faults['good']?.(socket, '') : faults['busy']?.(socket, '')),
    });
    await using its = await startGateway({ upstreams: { m: runtime.url } }, { clock: clocks });
    for (let i = 0; i < 5; i++) expect((await chat(its, 'm')).status).toBe(503);
    expect(runtime.asked.get('m')).toBe(5);
    const refused = await chat(its, 'm');
    expect([refused.status, await codeOfAnswer(refused)]).toEqual([503, 'upstream_busy']);
    clocks.advance(29_999);
    expect((await chat(its, 'm')).status).toBe(503);
    expect(runtime.asked.get('m')).toBe(5);
    clocks.advance(1);
    const tried = await Promise.all([chat(its, 'm'), chat(its, 'm'), chat(its, 'm')]);
    for (const one of tried) await one.text();
    expect(runtime.asked.get('m')).toBe(6);
    clocks.advance(30_000);
    works = true;
    expect((await chat(its, 'm')).status).toBe(200);
    expect((await chat(its, 'm')).status).toBe(200);
    expect(runtime.asked.get('m')).toBe(8);
  });
});

describe('an upstream that cannot be connected to', () => {
  it('is answered 502 while the breaker lets requests out', async () => {
    const clock = new HandClock();
    const runtime = await startFaulty(faults);
    await using gateway = await startGateway({ upstreams: { good: runtime.url } }, { clock });
    expect((await chat(gateway, 'good')).status).toBe(200);
    await runtime[Symbol.asyncDispose]();
    for (let i = 0; i < 5; i++) {
      const answer = await chat(gateway, 'good');
      expect([answer.status, await codeOfAnswer(answer)]).toEqual([502, 'upstream_error']);
    }
    const refused = await chat(gateway, 'good');
    expect([refused.status, await codeOfAnswer(refused)]).toEqual([503, 'upstream_busy']);
  });
});

describe('an upstream that goes on', () => {
  it.each(['-1', '0', '"-1"', 'null', '1e400', '-1e400'])(
    'is cut at the limit of the key, also where max_tokens is %s',
    async (asked) => {
      await using runtime = await startFaulty(faults);
      const keyLimits = '{ max_output_tokens: 10 }';
      await using gateway = await startGateway({ upstreams: { endless: runtime.url }, keyLimits });
      const body = chatBody('endless', { stream: true, max_tokens: 'LIMIT' }).replace('"LIMIT"', asked);
      const answer = await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, keyHeaders(gateway.key));
      expect(answer.body.toString()).toContain('output_limit_reached');
      await until(() => usageOf(gateway, 'endless').requests === 1);
      expect(rowsOf(gateway, 'endless')[0]?.completionTokens).toBeLessThanOrEqual(10);
    },
  );
});

describe('an upstream of one byte a second', () => {
  it('is cut when the time of the request is over, and its bytes pass until then', async () => {
    const clock = new HandClock();
    let drip = (): void => {};
    await using runtime = await startFaulty({
      drip: (socket) => {
        socket.write(streamHead);
        drip = () => void socket.write(':');
      },
    });
    await using gateway = await startGateway({ upstreams: { drip: runtime.url } }, { clock });
    using client = openRaw(gateway.port);
    client.send(requestText(gateway, chatBody('drip', { stream: true })));
    await client.until((text) => text.includes('\r\n\r\n'));
    for (let second = 1; second < 600; second++) {
      drip();
      await client.until((text) => text.slice(text.indexOf('\r\n\r\n') + 4).split('1\r\n:\r\n').length > second);
      clock.advance(1_000);
    }
    clock.advance(1_000);
    const text = await client.closed;
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    await until(() => (gateway.gateway.meter?.requests({ limit: 1 }).length ?? 0) === 1);
    expect(gateway.gateway.meter?.requests({ limit: 1 })[0]).toMatchObject({ errorCode: 'upstream_error' });
  });
});

describe.runIf(process.platform === 'linux')('the memory of a gateway', () => {
  const MIB = 1024 * 1024;
  it.each([
    ['a line of 100 MB', 'x'.repeat(64 * 1024), 100 * MIB],
    ['a body without end', tokenEvent.repeat(500), 20 * MIB],
  ])('grows by less than 64 MB while %s passes to a slow reader', async (_, bytes, sizeBytes) => {
    await using runtime = await startFaulty({
      warm: (socket) => {
        socket.write(streamHead);
        return pour(socket, tokenEvent, 200_000).then(() => void socket.end());
      },
      large: (socket) => {
        socket.write(`${streamHead}data: `);
        return pour(socket, bytes, sizeBytes).then(() => void socket.end('\n\n'));
      },
    });
    await using gateway = await startProcess({ upstreams: { warm: runtime.url, large: runtime.url } });
    // What the first requests load and compile is no growth.
    for (let i = 0; i < 20; i++) await (await chat(gateway, 'warm', { stream: true })).text();
    const before = await gateway.rssBytes();
    const response = await chat(gateway, 'large', { stream: true });
    let received = 0;
    let most = 0;
    let looked = 0;
    for await (const piece of response.body ?? []) {
      received += piece.length;
      if (received - looked < sizeBytes / 10) continue;
      looked = received;
      // The reader stands still for a while: what came meanwhile must not be held here.
      await new Promise((resolve) => setTimeout(resolve, 20));
      most = Math.max(most, await gateway.rssBytes());
    }
    expect(received).toBeGreaterThan(sizeBytes);
    expect((most - before) / MIB).toBeLessThan(64);
    // Text that no event can be made of counts by its bytes.
    await until(() => gateway.output().includes('"model":"large"'));
    const [, tokens] = /"model":"large".*"completion_tokens":(\d+)/.exec(gateway.output()) ?? [];
    expect(Number(tokens)).toBeGreaterThan(sizeBytes / 200);
  });
});

/** A chat as Node's client sends it. */
function askChat(
  { port, key }: Pick<HardGateway, 'port' | 'key'>,
  model: string,
  more: Readonly<Record<string, unknown>>,
): ReturnType<typeof ask> {
  return ask(port, 'POST', '/v1/chat/completions', chatBody(model, more), undefined, keyHeaders(key));
}

/** A chat as bytes. */
function requestText({ port, key }: Pick<HardGateway, 'port' | 'key'>, body: string): string {
  const fields = Object.entries(keyHeaders(key)).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`POST /v1/chat/completions HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, length, '', body].join('\r\n');
}

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/http/index.js';
import { HandClock } from './hand-clock.js';
import { openRaw, overTransports, start, until, type RawClient } from './over-transports.js';

const head = (port: number, line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, '', ''].join('\r\n');

/** What a body without end did. */
interface Source {
  readonly body: AsyncIterable<Uint8Array>;
  produced: number;
  returned: number;
}

function endless(pieceBytes: number): Source {
  const piece = new Uint8Array(pieceBytes).fill(97);
  const source: Source = {
    produced: 0,
    returned: 0,
    body: {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          source.produced += piece.length;
          return { done: false, value: piece };
        },
        return: async () => {
          source.returned++;
          return { done: true, value: undefined };
        },
      }),
    },
  };
  return source;
}

/** Waits until `value` has been the same for 50 turns of the event loop. */
async function settled(value: () => number): Promise<number> {
  for (let same = 0, last = value(); ; last = value()) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    same = value() === last ? same + 1 : 0;
    if (same === 50) return last;
  }
}

/** Bytes that the kernel holds between a server's port and its one client. Source: proc(5), tx_queue and rx_queue. */
function bytesInKernel(port: number): number {
  let sum = 0;
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/);
    const [sent = '0', received = '0'] = queues.split(':');
    if (local.endsWith(`:${hex}`) && !remote.endsWith(':0000')) sum += parseInt(sent, 16);
    if (remote.endsWith(`:${hex}`)) sum += parseInt(received, 16);
  }
  return sum;
}

/** A client that asks and then reads nothing. */
function askAndStop(port: number): RawClient {
  const client = openRaw(port);
  client.socket.pause();
  client.send(head(port, 'GET /'));
  return client;
}

overTransports('slow clients', (transport) => {
  it('that read nothing pause the source, and are cut after the stall limit', async () => {
    const clock = new HandClock();
    const source = endless(16 * 1024);
    await using server = await start(transport, async () => ({ status: 200, body: source.body }), { clock });
    using client = askAndStop(server.port);
    const produced = await settled(() => source.produced);
    expect(produced).toBeGreaterThan(0);
    clock.advance(DEFAULT_LIMITS.writeStallMs - 1);
    expect([source.returned, server.listener.stats().stalledReaders]).toEqual([0, 0]);
    clock.advance(1);
    await until(() => source.returned === 1);
    expect(source.produced).toBe(produced);
    expect(server.listener.stats()).toMatchObject({ stalledReaders: 1, running: 0 });
    expect(server.events).toEqual([expect.objectContaining({ event: 'reader cut' })]);
    client.socket.resume();
    await client.closed;
  });

  it.runIf(process.platform === 'linux')('keep at most 256 KB of their answer in this process', async () => {
    for (const pieceBytes of [160, 16 * 1024, 1024 * 1024]) {
      const source = endless(pieceBytes);
      await using server = await start(transport, async () => ({ status: 200, body: source.body }));
      using client = askAndStop(server.port);
      expect(client.text()).toBe('');
      await settled(() => source.produced);
      const held = server.listener.stats().bytesOut - bytesInKernel(server.port);
      expect(held).toBeLessThanOrEqual(256 * 1024);
    }
  });

  it('that read again get every byte, in order', async () => {
    const total = 12_000_000;
    const piece = (from: number): Uint8Array => Uint8Array.from({ length: 20_000 }, (_, i) => (from + i) % 251);
    const body = async function* (): AsyncIterable<Uint8Array> {
      for (let from = 0; from < total; from += 20_000) yield piece(from);
    };
    await using server = await start(transport, async () => ({ status: 200, body: body() }));
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    let at = 0;
    let wrong = -1;
    let pieces = 0;
    for await (const bytes of response.body ?? []) {
      for (const byte of bytes) if (byte !== at++ % 251 && wrong === -1) wrong = at - 1;
      // Now and then the reader is busy with something else.
      if (pieces++ % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect([at, wrong]).toEqual([total, -1]);
  });

  it('get what was kept for them although the source is silent by then', async () => {
    const piece = new Uint8Array(16_000).fill('q'.charCodeAt(0));
    let produced = 0;
    let isSilent = false;
    const body = async function* (signal: AbortSignal): AsyncIterable<Uint8Array> {
      while (!isSilent) {
        produced += piece.length;
        yield piece;
      }
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    await using server = await start(transport, async ({ signal }) => ({ status: 200, body: body(signal) }));
    using client = askAndStop(server.port);
    await settled(() => produced);
    isSilent = true;
    client.socket.resume();
    // No size of a chunk has a `q`, whatever pieces Node puts into one (from 26 on all that were corked): every one is a byte of the body.
    await client.until(
      (text) => text.length > produced && text.slice(text.indexOf('qqqq')).replace(/[^q]/g, '').length === produced,
    );
  });

  it('that send a body too slowly are answered 408; one that goes on may take its time', async () => {
    const clock = new HandClock();
    await using server = await start(transport, async ({ body }) => ({ status: 200, body: `${body.length}` }), {
      clock,
    });
    using client = openRaw(server.port);
    client.send(head(server.port, 'POST /', 'Content-Length: 40000'));
    let received = 0;
    for (const bytes of [16_384, 16_384]) {
      client.send('x'.repeat(bytes));
      received += bytes;
      await until(() => clock.waiting > 0);
      // The bytes are in the listener once another connection's request, sent after them, was served.
      for (let i = 0; i < 3; i++) await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
      clock.advance(DEFAULT_LIMITS.bodyStallMs);
    }
    expect(received).toBe(32_768);
    client.send('x');
    await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    expect(client.text()).toBe('');
    clock.advance(DEFAULT_LIMITS.bodyStallMs);
    await until(() => clock.waiting > 0);
    clock.advance(1_000);
    expect(await client.closed).toMatch(/HTTP\/1\.1 408 [^]*request_timeout/);
    expect(server.listener.stats().refused).toEqual({ request_timeout: 1 });
  });

  it.runIf(transport === 'node')('that send a header byte by byte are cut within the limit', async () => {
    await using server = await start(transport, async () => ({ status: 200 }), { limits: { headerMs: 300 } });
    using client = openRaw(server.port);
    using silent = openRaw(server.port);
    client.send('GET / HTTP/1.1\r\n');
    const drip = setInterval(() => client.send('X'), 20);
    expect(await client.closed).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
    await silent.closed;
    expect(server.listener.stats().refused).toEqual({ request_timeout: expect.any(Number) });
  });
});

import { expect, it } from 'vitest';
import { sseBody } from '../support/sse-body.js';
import { HandClock } from './hand-clock.js';
import { openRaw, overTransports, signalOf, start, until } from './over-transports.js';

const head = (port: number, path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

overTransports('a drain', (transport) => {
  it('lets a running answer end, takes no connection, and then is over', async () => {
    const go = signalOf();
    const body = async function* (): AsyncIterable<string> {
      yield 'first';
      await go.promise;
      yield 'last';
    };
    await using server = await start(transport, async () => ({ status: 200, body: body() }));
    using client = openRaw(server.port);
    client.send(head(server.port, '/'));
    await client.until((text) => text.includes('first'));
    const drained = server.listener.drain(30_000);
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
    go.resolve();
    await drained;
    expect(await client.closed).toMatch(/last\r\n0\r\n\r\n$/);
  });

  it('answers a request on an open connection with 503 and ends it', async () => {
    const go = signalOf();
    await using server = await start(transport, async ({ path }) => {
      if (path === '/slow') await go.promise;
      return { status: 200, body: path };
    });
    using slow = openRaw(server.port);
    slow.send(head(server.port, '/slow'));
    using other = openRaw(server.port);
    // Half a request: the connection is not idle, so it is not closed by the drain.
    other.send(head(server.port, '/other').slice(0, -2));
    await until(() => server.listener.stats().running === 1 && server.listener.stats().connections === 2);
    await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    const drained = server.listener.drain(30_000);
    other.send('\r\n');
    expect(await other.closed).toMatch(/HTTP\/1\.1 503 [^]*connection: close[^]*shutting_down/i);
    go.resolve();
    await drained;
    expect(await slow.closed).toMatch(/connection: close[^]*\/slow$/i);
  });

  it.runIf(transport === 'node')('closes idle connections at once', async () => {
    const go = signalOf();
    await using server = await start(transport, async ({ path }) => {
      if (path === '/slow') await go.promise;
      return { status: 200, body: path };
    });
    using slow = openRaw(server.port);
    slow.send(head(server.port, '/slow'));
    using idle = openRaw(server.port);
    idle.send(head(server.port, '/idle'));
    await idle.until((text) => text.endsWith('/idle'));
    const drained = server.listener.drain(30_000);
    await idle.closed;
    expect(server.listener.stats().running).toBe(1);
    go.resolve();
    await drained;
  });

  it('aborts the signals when the grace is over, sends last words, and then closes', async () => {
    const clock = new HandClock();
    const events = async function* (signal: AbortSignal): AsyncIterable<string> {
      yield '1';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('shutting down');
    };
    await using server = await start(
      transport,
      async ({ signal, path }) => {
        if (path === '/deaf') return new Promise(() => {});
        return { status: 200, body: sseBody(events(signal), { keepAliveMs: 60_000, onError: String }) };
      },
      { clock },
    );
    using stream = openRaw(server.port);
    stream.send(head(server.port, '/'));
    await stream.until((text) => text.includes('data: 1'));
    using deaf = openRaw(server.port);
    deaf.send(head(server.port, '/deaf'));
    await until(() => server.listener.stats().running === 2);
    const drained = server.listener.drain(5_000);
    clock.advance(4_999);
    expect(server.listener.stats().running).toBe(2);
    clock.advance(1);
    await stream.until((text) => text.includes('data: Error: shutting down\n\n'));
    // A handler that does not listen to its signal is cut.
    await until(() => server.listener.stats().running === 1);
    clock.advance(1_000);
    await drained;
    expect(await deaf.closed).toBe('');
  });

  it('is shortened by a second one', async () => {
    await using server = await start(transport, () => new Promise(() => {}));
    using client = openRaw(server.port);
    client.send(head(server.port, '/'));
    await until(() => server.listener.stats().running === 1);
    const first = server.listener.drain(60_000);
    await server.listener.drain(0);
    await first;
    expect(await client.closed).toBe('');
  });
});

import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { HandClock } from '../http/hand-clock.js';
import { openRaw, overTransports, until } from '../http/over-transports.js';
import { ask, startRelay, startUpstream, type Script } from './raw-upstream.js';

const SSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const head = (port: number, line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, '', ''].join('\r\n');

/** An answer of the relay itself: what the upstream's failure is called. */
const coded = async (script: Script, limits = {}): Promise<string> => {
  await using upstream = await startUpstream(script);
  await using relay = await startRelay('node', upstream.url, { limits });
  const { status, body } = await ask(relay.port, 'POST', '/', '{}');
  expect(status).toBe(502);
  return body.toString();
};

it('an upstream that fails before its answer is named by its failure', async () => {
  expect(await coded((_, socket) => void socket.end())).toBe('upstream_error');
  expect(await coded((_, socket) => void socket.destroy())).toBe('upstream_error');
  expect(await coded((_, socket) => void socket.end('220 mail.example ESMTP\r\n'))).toBe('upstream_error');
  const large = `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`;
  expect(await coded((_, socket) => void socket.write(large))).toBe('upstream_error');
  await using gone = await startRelay('node', 'http://127.0.0.1:1');
  expect((await ask(gone.port, 'GET', '/')).body.toString()).toBe('upstream_error');
});

it('an upstream gets no more requests at once than it may', async () => {
  const sockets: Socket[] = [];
  await using upstream = await startUpstream((_, socket) => void sockets.push(socket));
  await using relay = await startRelay('node', upstream.url, { limits: { requests: 1 } });
  const first = ask(relay.port, 'POST', '/');
  await until(() => sockets.length === 1);
  expect((await ask(relay.port, 'POST', '/')).body.toString()).toBe('upstream_busy');
  sockets[0]?.write('HTTP/1.1 204 No Content\r\n\r\n');
  expect((await first).status).toBe(204);
  expect(relay.upstream.running).toBe(0);
});

overTransports('a relay', (transport) => {
  it('gives an upstream the request as it came, without what is of the connection and of the client', async () => {
    let seen = '';
    await using upstream = await startUpstream((text, socket) => {
      seen = text;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    await using relay = await startRelay(transport, `${upstream.url}/base/`);
    using client = openRaw(relay.port);
    const body = '{"n":9007199254740993,"x":"\\u00e9"}';
    const sent = ['X-Zeta: 1', 'Accept-Encoding: gzip, br', 'X-Alpha: gr\xc3\xbcn', 'x-alpha: 2'];
    const dropped = [
      'Authorization: Bearer gwk_secret',
      'X-Api-Key: gwk_secret',
      'Cookie: a=gwk_secret',
      'X-Forwarded-For: 1.2.3.4',
      'Keep-Alive: timeout=5',
      'X-Hop: gwk_secret',
      'Connection: x-hop, keep-alive',
    ];
    client.send(
      head(relay.port, 'POST /v1//x%2Fy?q=%20', ...sent, ...dropped, `Content-Length: ${body.length}`) + body,
    );
    await client.until((text) => text.includes('200'));
    const [line, host, connection, ...rest] = seen.split('\r\n');
    expect([line, host, connection]).toEqual([
      'POST /base/v1//x%2Fy?q=%20 HTTP/1.1',
      `host: ${new URL(upstream.url).host}`,
      'connection: keep-alive',
    ]);
    const names = (field: string): string =>
      transport === 'uws' ? field.replace(/^[^:]+/, (name) => name.toLowerCase()) : field;
    expect(rest).toEqual([...sent.map(names), `content-length: ${body.length}`, '', body]);
  });

  it('is not confused by heads that come before the head', async () => {
    await using upstream = await startUpstream(
      (_, socket) =>
        void socket.write('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    );
    await using relay = await startRelay(transport, upstream.url);
    expect(await ask(relay.port, 'POST', '/')).toMatchObject({ status: 200, body: Buffer.from('ok') });
  });

  it('breaks its own answer off where the upstream does', async () => {
    const broken = [
      `${SSE}${chunk('data: 1\n\n')}`,
      `${SSE}${chunk('data: 1\n\n')}5\r\nda`,
      `${SSE}${chunk('data: 1\n\n')}zz\r\n`,
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: 1\n\n',
    ];
    await using upstream = await startUpstream(
      (text, socket) => void socket.end(broken[Number(/\/(\d)/.exec(text)?.[1])] ?? ''),
    );
    await using relay = await startRelay(transport, upstream.url);
    for (const [i] of broken.entries()) {
      const got = await ask(relay.port, 'POST', `/${i}`);
      expect([i, got.isBroken, got.body.toString()]).toEqual([i, true, expect.stringMatching(/^data: 1\n\n(?:da)?$/)]);
    }
    await until(() => relay.upstream.running === 0);
  });

  it('stops the upstream when the client leaves, before the head and after it', async () => {
    for (const text of ['', `${SSE}${chunk('data: 1\n\n')}`]) {
      let isClosed = false;
      let hasCome = false;
      await using upstream = await startUpstream((_, socket) => {
        hasCome = true;
        socket.on('close', () => (isClosed = true));
        if (text !== '') socket.write(text);
      });
      await using relay = await startRelay(transport, upstream.url);
      const client = connect(relay.port, '127.0.0.1');
      client.on('error', () => {});
      let got = '';
      client.on('data', (bytes) => (got += bytes.toString()));
      client.write(head(relay.port, 'POST /', 'Content-Length: 2') + '{}');
      await until(() => hasCome && (text === '' || got.includes('data: 1')));
      client.destroy();
      await until(() => isClosed && relay.upstream.running === 0);
    }
  });

  it('pauses the upstream for a reader that does not read', async () => {
    let written = 0;
    let isFull = false;
    const piece = chunk('x'.repeat(60_000));
    await using upstream = await startUpstream((_, socket) => {
      const fill = (): void => {
        isFull = false;
        while (!socket.destroyed && socket.write(piece)) written += piece.length;
        isFull = true;
      };
      socket.on('drain', fill);
      socket.write(SSE);
      fill();
    });
    await using relay = await startRelay(transport, upstream.url);
    const client = connect(relay.port, '127.0.0.1');
    client.on('error', () => {});
    client.pause();
    client.write(head(relay.port, 'POST /', 'Content-Length: 2') + '{}');
    let [last, turns] = [-1, 0];
    // Full, and nothing more is taken for some thousand turns: what was written lies in the sockets' buffers.
    while (turns < 3_000) {
      await new Promise((resolve) => setImmediate(resolve));
      turns = isFull && written === last ? turns + 1 : 0;
      last = written;
    }
    // Beyond the buffers of the system's sockets, some megabytes each, the relay holds 64 KiB and a piece.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    client.destroy();
    await until(() => relay.upstream.running === 0);
  });

  it('gives up an upstream that is silent: before its head, in the middle, and one that never ends', async () => {
    const clock = new HandClock();
    const sockets: Socket[] = [];
    await using upstream = await startUpstream((text, socket) => {
      sockets.push(socket);
      socket.write(text.startsWith('POST /slow') ? 'HTTP/1.1 200' : `${SSE}${chunk('data: 1\n\n')}`);
    });
    const limits = { firstByteMs: 1_000, idleMs: 500, requestMs: 3_000 };
    await using relay = await startRelay(transport, upstream.url, { clock, limits });
    const slow = ask(relay.port, 'POST', '/slow');
    await until(() => sockets.length === 1);
    clock.advance(1_000);
    expect((await slow).body.toString()).toBe('upstream_timeout');

    const ways: readonly (readonly [name: string, stepMs: number, steps: number])[] = [
      ['/idle', 500, 1],
      ['/endless', 400, 8],
    ];
    for (const [path, stepMs, steps] of ways) {
      const before = sockets.length;
      using client = openRaw(relay.port);
      client.send(head(relay.port, `POST ${path}`, 'Content-Length: 0'));
      await client.until((got) => got.includes('data: 1'));
      const socket = sockets[before];
      for (let i = 0; i < steps; i++) {
        clock.advance(stepMs);
        if (i + 1 < steps) socket?.write(chunk(`data: more ${i}\n\n`));
        if (i + 1 < steps - 1) await client.until((got) => got.includes(`more ${i}`));
      }
      expect(await client.closed).not.toContain('\r\n0\r\n\r\n');
    }
    await until(() => relay.upstream.running === 0);
    expect(clock.waiting).toBe(0);
  });

  it('takes a stream byte by byte for as long as something comes', async () => {
    const text = `${SSE}${chunk('data: slow\n\n')}0\r\n\r\n`;
    await using upstream = await startUpstream(async (_, socket) => {
      for (const byte of text) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await using relay = await startRelay(transport, upstream.url);
    expect((await ask(relay.port, 'POST', '/')).body.toString()).toBe('data: slow\n\n');
  });

  it('reads no more of a request than its upstream takes', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => socket.pause());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    await using relay = await startRelay(transport, url, { streams: true });
    const client = connect(relay.port, '127.0.0.1');
    client.on('error', () => {});
    const size = 64 * 1024 * 1024;
    client.write(head(relay.port, 'POST /', 'Content-Type: x', `Content-Length: ${size}`));
    client.write(Buffer.alloc(size));
    let [last, turns] = [-1, 0];
    while (turns < 3_000) {
      await new Promise((resolve) => setImmediate(resolve));
      const { bytesIn } = relay.listener.stats();
      turns = bytesIn > 0 && bytesIn === last ? turns + 1 : 0;
      last = bytesIn;
    }
    expect(last).toBeLessThan(32 * 1024 * 1024);
    // Node does not see a client leave whose socket it does not read: the upstream, or a limit in time, ends the request.
    for (const socket of sockets) socket.destroy();
    client.destroy();
    await until(() => relay.upstream.running === 0);
    server.close();
  });
});

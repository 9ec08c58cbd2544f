import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { HttpRequest } from '../../src/http/index.js';
import {
  openRaw,
  overTransports,
  routed,
  sendUntilClosed,
  signalOf,
  start,
  until,
  type Answer,
} from './over-transports.js';

const echo: Answer = async ({ method, path, query, headers, body, id, client }) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    method,
    path,
    query: [...query],
    type: headers.get('content-type') ?? null,
    text: Buffer.from(body).toString('utf8'),
    id,
    client,
  }),
});
const never = (): Promise<never> => new Promise(() => {});

/** The first lines of a request to the listener. */
const head = (port: number, line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, '', ''].join('\r\n');

async function* repeat(piece: string, times: number): AsyncIterable<string> {
  for (let i = 0; i < times; i++) yield piece;
}

overTransports('a listener', (transport) => {
  it('says which transport it has, where it listens, and what it did', async () => {
    await using server = await start(transport, echo);
    expect(server.listener).toMatchObject({ host: '127.0.0.1', transport });
    expect(server.port).toBeGreaterThan(0);
    await (await fetch(`http://127.0.0.1:${server.port}/x`, { method: 'POST', body: 'four' })).text();
    expect(server.listener.stats()).toMatchObject({
      requests: 1,
      running: 0,
      bytesIn: 4,
      stalledReaders: 0,
      refused: {},
    });
  });

  it('gives the handler method, path, query, headers and body as they were sent', async () => {
    await using server = await start(transport, echo);
    const response = await fetch(`http://localhost:${server.port}/v1/a%2Fb?x=1&y=%20z`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/plain', 'X-Request-Id': 'my-id_1' },
      body: 'grüße 😀',
    });
    expect(await response.json()).toEqual({
      method: 'PUT',
      path: '/v1/a%2Fb',
      query: [
        ['x', '1'],
        ['y', ' z'],
      ],
      type: 'text/plain',
      text: 'grüße 😀',
      id: 'my-id_1',
      client: '127.0.0.1',
    });
    expect(response.headers.get('x-request-id')).toBe('my-id_1');
  });

  it('makes an id for a request that has none, or one that is no plain word', async () => {
    await using server = await start(transport, echo);
    const ids = await Promise.all(
      ['', 'two words', '<script>'].map(async (id) => {
        const response = await fetch(`http://127.0.0.1:${server.port}/`, {
          headers: id === '' ? {} : { 'x-request-id': id },
        });
        return response.headers.get('x-request-id');
      }),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(3);
  });

  it('reads bodies in chunks that split a character, where its parser can be trusted with chunks', async () => {
    await using server = await start(transport, echo);
    using client = openRaw(server.port);
    const bytes = Buffer.from('a😀é');
    client.send(head(server.port, 'POST /', 'Transfer-Encoding: chunked'));
    for (const byte of bytes) client.send(`1\r\n${String.fromCharCode(byte)}\r\n`);
    client.send('0\r\n\r\n');
    if (transport === 'uws') {
      expect(await client.closed).toMatch(/HTTP\/1\.1 411 [^]*length_required/);
    } else {
      const answer = await client.until((text) => text.includes('"id"'));
      expect(Buffer.from(answer, 'latin1').toString('utf8')).toContain('"text":"a😀é"');
    }
  });

  it('reads a body whose bytes come one by one', async () => {
    await using server = await start(transport, echo);
    using client = openRaw(server.port);
    const bytes = Buffer.from('a😀é');
    client.send(head(server.port, 'POST /', `Content-Length: ${bytes.length}`));
    for (const byte of bytes) client.send(new Uint8Array([byte]));
    const answer = await client.until((text) => text.includes('"id"'));
    expect(Buffer.from(answer, 'latin1').toString('utf8')).toContain('"text":"a😀é"');
  });

  it('writes a body of pieces that split a character, and a large one, byte for byte', async () => {
    const large = Buffer.from('0123456789é😀'.repeat(40_000));
    const parts = async function* (): AsyncIterable<Uint8Array> {
      for (let at = 0; at < large.length; at += 4_093) yield large.subarray(at, at + 4_093);
    };
    await using server = await start(transport, async ({ path }) => ({
      status: 200,
      body: path === '/p' ? parts() : large,
    }));
    for (const path of ['/p', '/w']) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      expect(large.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
    }
  });

  it('writes a whole body of any size byte for byte, and the next answer behind it', async () => {
    await using server = await start(transport, async ({ path, query }) => {
      // As most answers are: not in the turn of the event loop that brought the request.
      if (query.has('later')) await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, body: 'é'.repeat(Number(path.slice(1)) / 2) };
    });
    for (const when of ['now', 'later']) {
      for (const size of [0, 8_190, 8_192, 8_194, 20_000, 65_536, 65_538, 300_000]) {
        const text = await (await fetch(`http://127.0.0.1:${server.port}/${size}?${when}`)).text();
        expect([when, size, text === 'é'.repeat(size / 2)]).toEqual([when, size, true]);
      }
    }
  });

  it('answers HEAD as GET without the body, and ends a body that is not read', async () => {
    let ended = 0;
    const body = async function* (): AsyncIterable<string> {
      try {
        yield 'never sent';
      } finally {
        ended++;
      }
    };
    const routes = [
      { method: 'GET', path: '/whole', target: async () => ({ status: 200, body: 'hello' }) },
      { method: 'GET', path: '/stream', target: async () => ({ status: 200, body: body() }) },
    ];
    const none: Answer = async () => ({ status: 404 });
    await using server = await start(transport, routed(routes, none));
    using client = openRaw(server.port);
    client.send(head(server.port, 'HEAD /whole'));
    const first = await client.until((text) => text.endsWith('\r\n\r\n'));
    expect(first.toLowerCase()).toContain('content-length: 5');
    client.send(head(server.port, 'HEAD /stream'));
    await client.until((text) => text.length > first.length && text.endsWith('\r\n\r\n'));
    expect(client.text()).not.toContain('never sent');
    // A generator that never began has nothing to end.
    expect(ended).toBe(0);
    client.send(head(server.port, 'GET /whole', 'Connection: close'));
    expect(await client.closed).toContain('hello');
  });

  it('answers requests of one connection one after the other', async () => {
    await using server = await start(transport, echo);
    using client = openRaw(server.port);
    for (const path of ['/1', '/2', '/3']) {
      client.send(head(server.port, `GET ${path}`));
      await client.until((text) => text.includes(`"path":"${path}"`));
    }
    expect(server.listener.stats().requests).toBe(3);
  });

  it('never answers pipelined requests out of order or mixed: in order, or not at all', async () => {
    const slowFirst: Answer = async ({ path }) => {
      if (path === '/1') await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, body: `<${path}>` };
    };
    await using server = await start(transport, slowFirst);
    const sent = ['/1', '/2', '/3'].map((path) => head(server.port, `GET ${path}`)).join('');
    using client = openRaw(server.port);
    client.send(sent);
    // uWebSockets.js closes a connection that does not wait for its answer.
    const answer = await (transport === 'node' ? client.until((text) => text.includes('</3>')) : client.closed);
    expect(answer.match(/<\/\d>/g) ?? []).toEqual(transport === 'node' ? ['</1>', '</2>', '</3>'] : []);
  });

  it('sends 100 Continue before a body that waits for it, and refuses other expectations', async () => {
    await using server = await start(transport, echo);
    using client = openRaw(server.port);
    client.send(head(server.port, 'POST /', 'Expect: 100-continue', 'Content-Length: 2'));
    await client.until((text) => text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    client.send('ok');
    expect(await client.until((text) => text.includes('"text":"ok"'))).toContain('HTTP/1.1 200 OK');
    const other = await sendUntilClosed(server.port, head(server.port, 'GET /', 'Expect: a-pony'));
    expect(other).toContain('HTTP/1.1 417 ');
  });

  it('undoes gzip, deflate and br, refuses other encodings, and bodies that are not what they say', async () => {
    await using server = await start(transport, echo);
    const post = async (encoding: string, body: Uint8Array): Promise<[number, unknown]> => {
      const response = await fetch(`http://127.0.0.1:${server.port}/`, {
        method: 'POST',
        headers: { 'content-encoding': encoding },
        body: new Uint8Array(body),
      });
      const json: unknown = await response.json();
      return [response.status, json];
    };
    const text = Buffer.from('{"a":1}');
    for (const [encoding, body] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['BR', brotliCompressSync(text)],
      ['identity', text],
    ] as const) {
      expect(await post(encoding, body)).toEqual([200, expect.objectContaining({ text: '{"a":1}' })]);
    }
    const refusal = (code: string): unknown => ({ error: expect.objectContaining({ code, param: null }) });
    expect(await post('gzip, gzip', text)).toEqual([415, refusal('unsupported_media_type')]);
    expect(await post('gzip', text)).toEqual([400, refusal('body_encoding_invalid')]);
  });

  it('refuses bodies above the limit, as sent and when decompressed, and goes on with the next request', async () => {
    await using server = await start(transport, echo, { limits: { bodyBytes: 100_000 } });
    const post = (body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', headers, body: new Uint8Array(body) });
    const cases: [Uint8Array, Record<string, string>, number][] = [
      [Buffer.alloc(100_000, 97), {}, 200],
      [Buffer.alloc(100_001, 97), {}, 413],
      [gzipSync(Buffer.alloc(100_000, 97)), { 'content-encoding': 'gzip' }, 200],
      // A bomb: 30 MB in 30 kB.
      [gzipSync(Buffer.alloc(30_000_000)), { 'content-encoding': 'gzip' }, 413],
      [brotliCompressSync(Buffer.alloc(30_000_000)), { 'content-encoding': 'br' }, 413],
    ];
    for (const [body, headers, status] of cases) {
      const response = await post(body, headers);
      await response.text();
      expect(response.status).toBe(status);
    }
    expect(server.listener.stats().refused).toEqual({ request_too_large: 3 });
  });

  it.runIf(transport === 'node')('refuses a body in chunks as soon as it passes the limit', async () => {
    await using server = await start(transport, echo, { limits: { bodyBytes: 100_000 } });
    using client = openRaw(server.port);
    client.send(`${head(server.port, 'POST /', 'Transfer-Encoding: chunked')}30000\r\n${'x'.repeat(0x30000)}\r\n`);
    expect(await client.closed).toMatch(/HTTP\/1\.1 413 [^]*request_too_large/);
  });

  it('tells a client that asks first that its body is too large, without reading it', async () => {
    await using server = await start(transport, echo, { limits: { bodyBytes: 10 } });
    const sent = head(server.port, 'POST /', 'Expect: 100-continue', 'Content-Length: 11');
    expect(await sendUntilClosed(server.port, sent)).toMatch(/HTTP\/1\.1 413 [^]*connection: close/i);
  });

  it('refuses bodies beyond the memory of all bodies together', async () => {
    await using server = await start(transport, echo, { limits: { bodiesBytes: 150_000 } });
    using slow = openRaw(server.port);
    slow.send(head(server.port, 'POST /slow', 'Content-Length: 100000'));
    slow.send('x'.repeat(90_000));
    await until(() => server.listener.stats().running === 1);
    const other = async (): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: 'y'.repeat(70_000) });
      await response.text();
      return response.status;
    };
    let status = 200;
    // The bytes of the first may take a few turns to arrive.
    while (status === 200) status = await other();
    expect(status).toBe(503);
    slow.send('x'.repeat(10_000));
    await slow.until((text) => text.includes('200 OK'));
    expect(await other()).toBe(200);
  });

  it('counts what a body is decompressed to, for as long as its request is under way', async () => {
    const go = signalOf();
    const slowEcho: Answer = async (request) => {
      if (request.path === '/slow') await go.promise;
      return { status: 200, body: String(request.body.length) };
    };
    await using server = await start(transport, slowEcho, { limits: { bodiesBytes: 150_000 } });
    const post = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${server.port}${path}`, {
        method: 'POST',
        headers: { 'content-encoding': 'gzip' },
        body: new Uint8Array(gzipSync(Buffer.alloc(100_000))),
      });
    const slow = post('/slow');
    await until(() => server.listener.stats().bytesIn > 0);
    let status = 200;
    while (status === 200) status = (await post('/')).status;
    expect(status).toBe(503);
    go.resolve();
    expect(await (await slow).text()).toBe('100000');
    await until(() => server.listener.stats().running === 0);
    expect((await post('/')).status).toBe(200);
  });

  it('refuses foreign hosts and origins, and lets pages of this machine use it', async () => {
    await using server = await start(transport, echo, {
      allowedHosts: ['models.lan'],
      allowedOrigins: ['https://ok.example'],
    });
    const { port } = server;
    const ask = async (host: string, ...fields: string[]): Promise<string> => {
      using client = openRaw(port);
      client.send(['GET / HTTP/1.1', `Host: ${host}`, ...fields, 'Connection: close', '', ''].join('\r\n'));
      return await client.closed;
    };
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      `LOCALHOST:${port}`,
      'models.lan',
      'models.lan:99',
    ]) {
      expect(await ask(host)).toContain('HTTP/1.1 200 OK');
    }
    for (const host of [
      `localhost.evil.example:${port}`,
      `evil.example:${port}`,
      `x.localhost:${port}`,
      `localhost.:${port}`,
      'models.lan.evil',
    ]) {
      expect(await ask(host)).toContain('host_refused');
    }
    const own = await ask(`localhost:${port}`, 'Origin: http://localhost:3000');
    expect(own).toMatch(/access-control-allow-origin: http:\/\/localhost:3000\r\n/i);
    expect(own).toMatch(/vary: Origin\r\n/i);
    expect(await ask(`localhost:${port}`, 'Origin: https://ok.example')).toContain('200 OK');
    for (const origin of [
      'http://evil.example',
      'null',
      'http://localhost.evil',
      'http://127.0.0.1.evil',
      'file://localhost',
    ]) {
      const answer = await ask(`localhost:${port}`, `Origin: ${origin}`);
      expect(answer).toContain('HTTP/1.1 403 ');
      expect(answer).toContain('origin_refused');
    }
  });

  it('answers at any port of the loopback names, since a tunnel or a published port changes it', async () => {
    await using server = await start(transport, echo);
    const ask = (host: string): Promise<string> =>
      sendUntilClosed(server.port, ['GET / HTTP/1.1', `Host: ${host}`, 'Connection: close', '', ''].join('\r\n'));
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080']) {
      expect(await ask(host)).toContain('HTTP/1.1 200 OK');
    }
    for (const host of ['evil.example', 'localhost.evil.example:8080', '127.0.0.1.nip.io', 'local\xe9host']) {
      expect(await ask(host)).toContain('host_refused');
    }
  });

  it('serves a request whose header values have bytes beyond ASCII', async () => {
    await using server = await start(transport, echo);
    const fields = ['X-User: J\xf6rg', 'User-Agent: caf\xc3\xa9', 'X-Odd: \x80\xff a'];
    const answer = await sendUntilClosed(server.port, head(server.port, 'GET /ok', ...fields, 'Connection: close'));
    expect(answer).toContain('HTTP/1.1 200 OK');
    expect(answer).toContain('"path":"/ok"');
  });

  it('answers 431 to too many header fields and too long ones, also behind an answer', async () => {
    await using server = await start(transport, echo);
    const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `X-${i}: v`);
    for (const fields of [many(93), many(150), [`X-Long: ${'a'.repeat(20_000)}`]]) {
      const bytes = head(server.port, 'GET /', ...fields, 'Connection: close');
      expect((await sendUntilClosed(server.port, bytes)).slice(0, 12)).toBe('HTTP/1.1 431');
      using client = openRaw(server.port);
      client.send(head(server.port, 'GET /'));
      await client.until((text) => text.includes('"id"'));
      client.send(bytes);
      expect(await client.closed).toContain('HTTP/1.1 431');
    }
  });

  it('gives a preflight of an allowed origin the headers that it asks for, and the way to a private address', async () => {
    await using server = await start(transport, echo);
    const preflight = async (fields: Record<string, string>): Promise<Headers> => {
      const response = await fetch(`http://127.0.0.1:${server.port}/`, {
        method: 'OPTIONS',
        headers: { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'POST', ...fields },
      });
      return response.headers;
    };
    const asked = 'Authorization,http-referer, X-Title ,api-key,traceparent,x bad,caf\xe9,,' + 'x'.repeat(200);
    const answer = await preflight({
      'Access-Control-Request-Headers': asked,
      'Access-Control-Request-Private-Network': 'true',
    });
    const allowed = answer.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'http-referer', 'x-title', 'api-key', 'traceparent']),
    );
    expect(allowed.filter((name) => !/^[a-z-]{1,40}$/.test(name))).toEqual([]);
    expect(new Set(allowed).size).toBe(allowed.length);
    expect(answer.get('access-control-allow-private-network')).toBe('true');
    expect(answer.get('vary')).toContain('Access-Control-Request-Headers');
    const endless = await preflight({
      'Access-Control-Request-Headers': Array.from({ length: 600 }, (_, i) => `a${i}`).join(),
    });
    expect(endless.get('access-control-allow-headers')?.split(', ').length).toBe(22 + 90);
    expect(endless.has('access-control-allow-private-network')).toBe(false);
  });

  it("answers a preflight of the OpenAI SDK's browser build", async () => {
    const routes = [{ method: 'POST', path: '/v1/chat', target: echo }];
    const refuse: Answer = async () => ({ status: 404 });
    await using server = await start(transport, routed(routes, refuse));
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/chat`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'http://127.0.0.1:5173',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers':
          'authorization,content-type,x-stainless-os,x-stainless-runtime-version,openai-beta',
      },
    });
    expect(response.status).toBe(204);
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'openai-beta',
        'x-stainless-os',
        'x-stainless-runtime-version',
      ]),
    );
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('answers 500 for a handler that fails, logs its code, and tells the client nothing of it', async () => {
    await using server = await start(transport, async () => Promise.reject(new Error('the secret')));
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(server.events).toEqual([expect.objectContaining({ event: 'handler failed', code: 'internal_error' })]);
  });

  it('sends no header that a handler could split an answer with', async () => {
    await using server = await start(transport, async () => ({ status: 200, headers: { 'x-a': 'b\r\nx-c: d' } }));
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    await response.text();
    expect([response.status, response.headers.get('x-c')]).toEqual([500, null]);
  });

  it('cuts an answer whose source fails, so that the client knows', async () => {
    const failing = async function* (): AsyncIterable<string> {
      yield 'begun';
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('no more');
    };
    await using server = await start(transport, async () => ({ status: 200, body: failing() }));
    const answer = await sendUntilClosed(server.port, head(server.port, 'GET /'));
    expect(answer).toContain('begun');
    expect(answer).not.toMatch(/0\r\n\r\n$/);
  });

  it('aborts the signal when the client goes away, while the handler works and while a body is silent', async () => {
    const aborted: string[] = [];
    const entered = signalOf();
    const silent = async function* (signal: AbortSignal): AsyncIterable<string> {
      yield 'first';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted.push('body');
    };
    await using server = await start(transport, async ({ path, signal }) => {
      if (path === '/body') return { status: 200, body: silent(signal) };
      entered.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted.push('handler');
      return { status: 200 };
    });
    const first = openRaw(server.port);
    first.send(head(server.port, 'GET /handler'));
    await entered.promise;
    first.socket.destroy();
    await until(() => aborted.length === 1);
    const second = openRaw(server.port);
    second.send(head(server.port, 'GET /body'));
    await second.until((text) => text.includes('first'));
    second.socket.destroy();
    await until(() => aborted.length === 2);
    expect(aborted).toEqual(['handler', 'body']);
    await until(() => server.listener.stats().running === 0);
  });

  it("calls a body's return when its reader is gone", async () => {
    const returned = signalOf();
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let count = 0;
        return {
          next: () => (count++ === 0 ? Promise.resolve({ done: false, value: 'first' }) : never()),
          return: () => {
            returned.resolve();
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    };
    await using server = await start(transport, async () => ({ status: 200, body }));
    const client = openRaw(server.port);
    client.send(head(server.port, 'GET /'));
    await client.until((text) => text.includes('first'));
    client.socket.destroy();
    await returned.promise;
  });

  it('ends a body whose reader went away before the answer began', async () => {
    const returned = signalOf();
    const asked = signalOf<AbortSignal>();
    const go = signalOf();
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: never,
        return: () => {
          returned.resolve();
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    await using server = await start(transport, async ({ signal }) => {
      asked.resolve(signal);
      await go.promise;
      return { status: 200, body };
    });
    using client = openRaw(server.port);
    client.send(head(server.port, 'GET /'));
    const signal = await asked.promise;
    client.socket.destroy();
    await until(() => signal.aborted);
    go.resolve();
    await returned.promise;
  });

  it('refuses a port that is in use, by its code', async () => {
    await using server = await start(transport, echo);
    await expect(start(transport, echo, { port: server.port })).rejects.toMatchObject({ code: 'address_in_use' });
    await expect(start(transport, echo, { port: 70_000 })).rejects.toMatchObject({ code: 'invalid_value' });
    await expect(start(transport, echo, { host: '203.0.113.9' })).rejects.toMatchObject({
      code: expect.stringMatching(/address_unavailable|transport_unsafe/),
    });
  });

  it('sends a body whole whose pieces and end come at once with its head', async () => {
    await using server = await start(transport, async () => ({ status: 200, body: repeat('piece ', 50) }));
    const texts = await Promise.all(
      Array.from({ length: 200 }, async () => (await fetch(`http://127.0.0.1:${server.port}/`)).text()),
    );
    expect(new Set(texts)).toEqual(new Set(['piece '.repeat(50)]));
  });

  it('lets two listeners live in one process', async () => {
    await using one = await start(transport, async () => ({ status: 200, body: 'one' }));
    await using two = await start(transport, async () => ({ status: 200, body: repeat('two', 2) }));
    const texts = await Promise.all(
      [one, two].map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/`)).text()),
    );
    expect(texts).toEqual(['one', 'twotwo']);
  });

  it('closes a connection beyond the limit of connections', async () => {
    await using server = await start(transport, echo, { limits: { connections: 2 } });
    using first = openRaw(server.port);
    using second = openRaw(server.port);
    for (const client of [first, second]) {
      client.send(head(server.port, 'GET /'));
      await client.until((text) => text.includes('"id"'));
    }
    expect(await sendUntilClosed(server.port, head(server.port, 'GET /'))).toBe('');
    first.send(head(server.port, 'GET /again'));
    await first.until((text) => text.includes('/again'));
  });

  it('knows nothing of requests that it was not asked', async () => {
    const seen: HttpRequest[] = [];
    await using server = await start(transport, async (request) => {
      seen.push(request);
      return { status: 204 };
    });
    const response = await fetch(`http://127.0.0.1:${server.port}/x`, { method: 'DELETE' });
    expect([response.status, response.headers.get('content-length')]).toEqual([204, null]);
    expect(seen.map(({ method, path, target, body }) => ({ method, path, target, body }))).toEqual([
      { method: 'DELETE', path: '/x', target: '/x', body: expect.objectContaining({ length: 0 }) },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { createApiClient, type ApiClient } from '../../../src/pages/data/index.js';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly csrf: string | null;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** A storage of a browser. */
function memory(texts: Record<string, string> = {}) {
  const kept = new Map(Object.entries(texts));
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** A server whose session has a csrf token; undefined: there is none. */
function start(storage = memory()) {
  const sent: Sent[] = [];
  const server = { csrf: undefined as string | undefined, isAway: false };
  const send: typeof fetch = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    const call = {
      method: init.method ?? 'GET',
      path: path as string,
      csrf: headers.get('x-csrf-token'),
      headers,
      body: init.body as string | undefined,
    };
    sent.push(call);
    if (server.isAway) throw new TypeError('fetch failed');
    if (call.method === 'POST' && call.path === '/session') {
      if (call.body?.includes('right') !== true) {
        const error = { error: { code: 'admin_token_invalid', message: 'It is not.' } };
        return new Response(JSON.stringify(error), { status: 401, headers: { 'retry-after': '15' } });
      }
      server.csrf = `csrf ${sent.length}`;
      return Response.json({ csrf_token: server.csrf });
    }
    if (server.csrf === undefined || call.csrf !== server.csrf) {
      return Response.json(
        { error: { code: server.csrf === undefined ? 'session_invalid' : 'csrf_refused' } },
        { status: 401 },
      );
    }
    return Response.json({ path: call.path, body: call.body }, { headers: { etag: '"v7"' } });
  };
  const client = createApiClient({ sessionPath: '/session', storageKey: 'csrf', storage, send });
  return { client, sent, server, storage };
}

const phase = (client: ApiClient) => client.session.get().phase;

describe('a client of the API', () => {
  it('signs in, sends the csrf token with each request, and an etag with a change', async () => {
    const { client, sent, storage } = start();
    expect(await client.resume()).toBeUndefined();
    expect([phase(client), sent.length]).toEqual(['out', 0]);
    expect(await client.signIn({ token: 'wrong' })).toEqual({
      status: 401,
      code: 'admin_token_invalid',
      message: 'It is not.',
      retryAfterS: 15,
    });
    expect(await client.signIn({ token: 'right' })).toBeUndefined();
    expect([phase(client), storage.kept.get('csrf')]).toEqual(['in', 'csrf 2']);
    const answer = await client.request('PATCH', '/thing', {
      query: { a: 1, b: '', c: undefined },
      body: {},
      etag: 'v6',
    });
    expect(answer).toEqual({ ok: true, value: { path: '/thing?a=1', body: '{}' }, etag: 'v7' });
    expect([sent.at(-1)?.csrf, sent.at(-1)?.headers.get('if-match')]).toEqual(['csrf 2', '"v6"']);
    await client.signOut();
    expect([phase(client), storage.kept.has('csrf')]).toEqual(['out', false]);
  });

  it('goes on with the session of the last visit, and with none that ended', async () => {
    const going = start(memory({ csrf: 'kept' }));
    going.server.csrf = 'kept';
    await going.client.resume();
    expect(phase(going.client)).toBe('in');
    const ended = start(memory({ csrf: 'old' }));
    expect(await ended.client.resume()).toBeUndefined();
    expect(phase(ended.client)).toBe('out');
    const away = start(memory({ csrf: 'kept' }));
    away.server.isAway = true;
    expect(await away.client.resume()).toMatchObject({ code: 'unreachable' });
  });

  it('holds requests that are refused without a session, and sends them again after the next sign-in', async () => {
    const { client, sent, server } = start();
    await client.signIn({ token: 'right' });
    server.csrf = undefined;
    const held = [client.request('POST', '/one', { body: { typed: 'x' } }), client.request('GET', '/two')];
    await expect.poll(() => phase(client)).toBe('interrupted');
    expect(await Promise.race([...held, Promise.resolve('held')])).toBe('held');
    await client.signIn({ token: 'right' });
    expect(await Promise.all(held)).toMatchObject([
      { ok: true, value: { path: '/one', body: '{"typed":"x"}' } },
      { ok: true, value: { path: '/two' } },
    ]);
    expect(sent.filter(({ path }) => path === '/one')).toHaveLength(2);
  });

  it('gives up a held request that is no longer wanted, and all of them at a sign-out', async () => {
    const { client, server } = start();
    await client.signIn({ token: 'right' });
    server.csrf = undefined;
    const controller = new AbortController();
    const held = client.request('GET', '/one', { signal: controller.signal });
    await expect.poll(() => phase(client)).toBe('interrupted');
    controller.abort();
    expect(await held).toMatchObject({ ok: false, failure: { code: 'session_invalid' } });
    const other = client.request('GET', '/two');
    await client.signOut();
    expect(await other).toMatchObject({ ok: false });
  });

  it('notices that another window of the browser signed in', async () => {
    const storage = memory();
    const { client, server } = start(storage);
    await client.signIn({ token: 'right' });
    server.csrf = 'of the other window';
    storage.setItem('csrf', 'of the other window');
    expect(await client.request('GET', '/one')).toMatchObject({ ok: true });
    expect(phase(client)).toBe('in');
  });

  it('works in a browser that keeps nothing', async () => {
    const refusing = {
      ...memory(),
      setItem: () => {
        throw new Error('full');
      },
    };
    const { client, server } = start(refusing);
    await client.signIn({ token: 'right' });
    server.csrf = undefined;
    const held = client.request('GET', '/one');
    await expect.poll(() => phase(client)).toBe('interrupted');
    await client.signIn({ token: 'right' });
    expect(await held).toMatchObject({ ok: true });
  });

  it('tells failures apart: away, cancelled, no JSON', async () => {
    const { client, server } = start();
    await client.signIn({ token: 'right' });
    server.isAway = true;
    expect(await client.request('GET', '/one')).toMatchObject({ failure: { status: 0, code: 'unreachable' } });
    const signal = AbortSignal.abort();
    expect(await client.request('GET', '/one', { signal })).toMatchObject({ failure: { code: 'cancelled' } });
    const page = createApiClient({
      sessionPath: '/session',
      storageKey: 'csrf',
      storage: undefined,
      send: async () => new Response('<html>', { status: 502 }),
    });
    expect(await page.request('GET', '/one')).toEqual({
      ok: false,
      failure: { status: 502, code: 'status_502', message: 'The server answered with status 502.' },
    });
  });
});

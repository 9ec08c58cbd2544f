// S8: who is not the operator gets nothing of the admin API, whatever a page, a name or a form tries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/index.js';
import { createKeySecret } from '../../../src/metering/index.js';
import { makeKey, runtimeAt } from '../serving/start-gateway.js';
import { readEvents, send, startAdmin, type Answered, type Page, type StartedAdmin } from './start-admin.js';

let admin: StartedAdmin;
let page: Page;

beforeAll(async () => {
  admin = await startAdmin({ runtimes: [runtimeAt('http://127.0.0.1:9')], virtual_keys: [makeKey().entry] });
  page = await admin.signIn();
});

afterAll(() => admin[Symbol.asyncDispose]());

const codeOf = ({ json }: Answered): unknown => (json as { error?: { code?: unknown } } | undefined)?.error?.code;
const own = (): string => `http://127.0.0.1:${admin.adminPort}`;
const keyCount = (): number => admin.started.meter.keys().length;
const newKey = { name: 'by an attacker' };

/** Names that lead, or might be made to lead, to this machine. */
const rebindingNames = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example.',
  'admin.local',
  'host.internal',

  'localhost.',
  'localhost.localdomain',
  'a.localhost',
  'LOCALHOST.evil',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '2130706433',

  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.01',
  '127.000.000.001',
  '0',
  '0.0.0.0',
  '[::]',
  '[::1]',

  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:7f00:1]',
  '10.0.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '172.17.0.1',

  'host.docker.internal',
  'kubernetes.default',
  'gateway',
  'troupe',
  'wpad',
  'router',
  'localtest.me',
  'lvh.me',
  'nip.io',

  '127.0.0.1.nip.io',
  '127-0-0-1.sslip.io',
  'rbndr.us',
  '7f000001.rbndr.us',
  'A.127.0.0.1.1time.rebind.network',

  'xn--localhost-',
  'xn--80ak6aa92e.com',
  'localhost%00.evil.example',
  'localhost@evil.example',
  'evil.example:80@127.0.0.1',

  '127.0.0.1@evil.example',
  'localhost,evil.example',
  'localhost evil',
  '127.0.0.1/evil',
  '127.0.0.1#evil',
  '127.0.0.1?x',

  'LocalHost.Example',
  '',
  '*',
  'null',
  '-',
  '_',
  '127.0.0.1.',
];

describe('a name', () => {
  it(`that was made to lead here is refused, of ${rebindingNames.length}, also with the cookie and the csrf token`, async () => {
    expect(rebindingNames.length).toBeGreaterThanOrEqual(60);
    for (const name of rebindingNames) {
      const hosts = [`${name}:${admin.adminPort}`, name];
      for (const host of hosts) {
        const got = await page
          .ask('GET', '/admin/api/keys', { headers: { host, origin: `http://${host}` } })
          .catch(() => undefined);
        // What is no Host at all ends the connection.
        if (got !== undefined) expect([name, got.status >= 400, got.text.includes('vk_')]).toEqual([name, true, false]);
      }
    }
  });

  it('is the address or localhost, with the port of the listener and no other', async () => {
    for (const [host, status] of [
      [`127.0.0.1:${admin.adminPort}`, 200],
      [`localhost:${admin.adminPort}`, 200],
      [`LOCALHOST:${admin.adminPort}`, 200],
      ['127.0.0.1', 403],
      ['localhost:80', 403],
      [`127.0.0.1:${admin.adminPort + 1}`, 403],
    ] as const) {
      const got = await admin.script('GET', '/admin/api/session', { headers: { host } });
      expect([host, got.status]).toEqual([host, status]);
    }
  });
});

const foreignOrigins = [
  'http://evil.example',
  'https://evil.example',
  'null',
  'http://127.0.0.1',
  'http://localhost',
  'file://',
  'about:blank',

  'http://127.0.0.1:3000',
  'http://localhost:3000',
  'https://127.0.0.1',
  'chrome-extension://abcdef',
  'http://127.0.0.1:',

  'http://127.0.0.1.evil.example',
  'http://evil.example/127.0.0.1',
  'http://127.0.0.1@evil.example',
  'data:',
  '*',
];

it.each([
  ['127.0.0.2', '127.0.0.2', ['127.0.0.2'], ['127.0.0.1', 'localhost', '[::1]']],
  ['::1', '[::1]', ['[::1]', 'localhost'], ['127.0.0.1', '127.0.0.2']],
])('a page at %s answers to its own names alone', async (address, host, right, wrong) => {
  await using elsewhere = await startAdmin({ admin: { address } });
  const { adminPort: port, started, token } = elsewhere;
  expect(started.gateway.adminUrl).toBe(`http://${host}:${port}`);
  const ask = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    send(port, 'GET', '/admin/api/overview', {
      host: address,
      headers: { host: `${name}:${port}`, authorization: `Bearer ${token}`, ...headers },
    });
  for (const name of right) {
    expect([name, (await ask(name)).status]).toEqual([name, 200]);
    expect((await ask(name, { origin: `http://${name}:${port + 1}` })).status).toBe(403);
  }
  for (const name of wrong) expect([name, codeOf(await ask(name))]).toEqual([name, 'host_refused']);
});

describe('a page of another origin', () => {
  it.each(foreignOrigins)('%s changes and reads nothing, with everything that a session has', async (origin) => {
    const before = keyCount();
    for (const [method, path, body] of [
      ['POST', '/admin/api/keys', newKey],
      ['GET', '/admin/api/keys', undefined],
      ['DELETE', '/admin/api/session', undefined],
      ['POST', '/admin/api/system/drain', {}],
      ['OPTIONS', '/admin/api/keys', undefined],
    ] as const) {
      const got = await page.ask(method, path, { headers: { origin }, ...(body !== undefined && { body }) });
      expect([method, got.status, codeOf(got)]).toEqual([method, 403, 'origin_refused']);
      expect(got.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(keyCount()).toBe(before);
  });

  it('of this machine is foreign too: its port, its scheme and its name must be the same', async () => {
    const port = admin.adminPort;
    for (const origin of [`https://127.0.0.1:${port}`, `http://localhost:${port}`, `http://127.0.0.1:${port + 1}`]) {
      expect((await page.ask('POST', '/admin/api/keys', { body: newKey, headers: { origin } })).status).toBe(403);
    }
    const host = `localhost:${port}`;
    const asLocalhost = { host, origin: `http://${host}` };
    expect((await page.ask('GET', '/admin/api/keys', { headers: asLocalhost })).status).toBe(200);
  });

  it('is distinguished from its own by what browsers say of the site, where they say it', async () => {
    for (const site of ['cross-site', 'same-site', 'nonsense']) {
      const got = await page.ask('GET', '/admin/api/keys', { headers: { 'sec-fetch-site': site } });
      expect([site, got.status]).toEqual([site, 403]);
      const linked = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', accept: 'text/html' };
      // The page itself may be linked to; without the page in this build it is not found.
      expect((await admin.raw('GET', '/', { headers: linked })).status).not.toBe(403);
      expect((await admin.raw('GET', '/admin/openapi.json', { headers: linked })).status).toBe(403);
    }
  });
});

describe('a forged request', () => {
  it('without Origin changes nothing, as of a form of old, and none of a session is taken for a script', async () => {
    const before = keyCount();
    const { cookie, csrfToken } = page;
    for (const headers of [{ cookie }, { cookie, 'x-csrf-token': csrfToken }]) {
      const got = await admin.raw('POST', '/admin/api/keys', { body: newKey, headers });
      expect([got.status, codeOf(got)]).toEqual([403, 'origin_refused']);
    }
    expect(keyCount()).toBe(before);
  });

  it('without the csrf token, or with another, neither changes nor reads', async () => {
    const before = keyCount();
    const { cookie, csrfToken } = page;
    const other = await admin.signIn();
    const wrong = ['', 'x', csrfToken.slice(1), `${csrfToken}x`, csrfToken.toLowerCase(), other.csrfToken, cookie];
    for (const token of wrong) {
      for (const [method, path] of [
        ['POST', '/admin/api/keys'],
        ['GET', '/admin/api/keys'],
        ['GET', '/admin/api/overview/events'],
      ] as const) {
        const headers = { cookie, origin: own(), ...(token !== '' && { 'x-csrf-token': token }) };
        const got = await admin.raw(method, path, { headers, ...(method === 'POST' && { body: newKey }) });
        expect([method, got.status, codeOf(got)]).toEqual([method, 403, 'csrf_refused']);
      }
    }
    expect(keyCount()).toBe(before);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    '',
  ])('of the type "%s" that any page can send is refused', async (type) => {
    const before = keyCount();
    const got = await page.ask('POST', '/admin/api/keys', { body: newKey, headers: { 'content-type': type } });
    expect([got.status, codeOf(got)]).toEqual([415, 'unsupported_media_type']);
    const signing = { body: { token: admin.token }, headers: { origin: own(), 'content-type': type } };
    expect((await admin.raw('POST', '/admin/api/session', signing)).headers['set-cookie']).toBeUndefined();
    expect(keyCount()).toBe(before);
  });

  it('has no endpoint that changes anything by GET', async () => {
    const document = (await admin.raw('GET', '/admin/openapi.json')).json as {
      paths: Record<string, Record<string, object>>;
    };
    const reads = Object.entries(document.paths).filter(([, methods]) => 'get' in methods);
    const length = (): number => admin.started.meter.audit.read({ limit: 1 }).at(-1)?.seq ?? 0;
    const before = length();
    for (const [path] of reads) {
      // An export has an audit entry, since it takes a copy; streams do not end.
      if (/export|events/.test(path)) continue;
      await page.ask('GET', path.replaceAll(/\{\w+\}/g, 'x'));
    }
    expect([keyCount() > 0, length()]).toEqual([true, before]);
    expect(reads.length).toBeGreaterThan(15);
  });
});

describe('signing in', () => {
  it('sets a cookie that no script reads, no other site sends and no other host gets, and takes none that is brought', async () => {
    const fixed = `troupe_admin_${admin.adminPort}=${'A'.repeat(43)}`;
    const got = await admin.raw('POST', '/admin/api/session', {
      body: { token: admin.token },
      headers: { origin: own(), cookie: fixed },
    });
    const [set = ''] = got.headers['set-cookie'] ?? [];
    expect(set).toMatch(/^troupe_admin_\d+=[\w-]{43}; Path=\/admin\/api; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain('A'.repeat(43));
    expect(set).not.toMatch(/domain/i);
    const csrf = (got.json as { csrf_token: string }).csrf_token;
    const headers = { origin: own(), cookie: fixed, 'x-csrf-token': csrf };
    expect((await admin.raw('GET', '/admin/api/keys', { headers })).status).toBe(401);
    expect(got.text).not.toContain(set.slice(0, 60).split('=')[1] ?? '');
  });

  it('ends the session that the browser had, and two cookies are none', async () => {
    const first = await admin.signIn();
    const got = await admin.raw('POST', '/admin/api/session', {
      body: { token: admin.token },
      headers: { origin: own(), cookie: first.cookie },
    });
    expect(got.status).toBe(200);
    expect((await first.ask('GET', '/admin/api/keys')).status).toBe(401);
    const second = await admin.signIn();
    expect(
      (await second.ask('GET', '/admin/api/keys', { headers: { cookie: `${second.cookie}; ${second.cookie}` } }))
        .status,
    ).toBe(401);
  });

  it('is refused without the token in force: mistyped, of another kind, or none', async () => {
    await using other = await startAdmin();
    const origin = `http://127.0.0.1:${other.adminPort}`;
    for (const token of [createKeySecret('gwa').secret, createKeySecret('gwk').secret, 'x', admin.token.slice(0, -1)]) {
      const got = await other.raw('POST', '/admin/api/session', { body: { token }, headers: { origin } });
      expect([got.status, codeOf(got), got.headers['set-cookie']]).toEqual([401, 'admin_token_invalid', undefined]);
    }
    for (const body of [{}, { token: '' }, { token: 1 }, { token: ['x'] }, { token: 'x', more: 1 }, 'x']) {
      expect((await other.raw('POST', '/admin/api/session', { body, headers: { origin } })).status).toBe(400);
    }
    const actors = other.started.meter.audit.read({ limit: 10 }).filter(({ action }) => action === 'session.create');
    expect(actors.map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array.from({ length: 4 }, () => ['refused', 'admin_token_invalid']),
    );
  });
});

/** A clock that a test moves; timers are the machine's. */
function movedClock(): { readonly clock: Clock; move(ms: number): void } {
  let moved = 0;
  const begin = performance.now();
  return {
    clock: {
      nowMs: () => performance.now() - begin + moved,
      unixSeconds: () => Math.floor((Date.now() + moved) / 1000),
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        timer.unref();
        return () => clearTimeout(timer);
      },
    },
    move: (ms) => void (moved += ms),
  };
}

describe('the rate of signing in', () => {
  it('is five wrong tokens, then a wait that doubles, for the right one too, while scripts and sessions go on', async () => {
    const { clock, move } = movedClock();
    await using limited = await startAdmin({}, { clock });
    const signedIn = await limited.signIn();
    const origin = `http://127.0.0.1:${limited.adminPort}`;
    const wrong = createKeySecret('gwa').secret;
    const tryToken = (token: string): Promise<Answered> =>
      limited.raw('POST', '/admin/api/session', { body: { token }, headers: { origin } });
    for (let i = 0; i < 5; i++) expect((await tryToken(wrong)).status).toBe(401);
    const held = await tryToken(limited.token);
    expect([held.status, codeOf(held), Number(held.headers['retry-after'])]).toEqual([429, 'sign_in_limited', 15]);
    for (let i = 0; i < 50; i++) expect((await tryToken(wrong)).status).toBe(429);
    expect((await signedIn.ask('GET', '/admin/api/session')).status).toBe(200);
    expect((await limited.script('GET', '/admin/api/session')).status).toBe(200);
    let waitS = 15;
    for (let i = 0; i < 6; i++) {
      move(waitS * 1000);
      expect((await tryToken(wrong)).status).toBe(401);
      waitS = Number((await tryToken(limited.token)).headers['retry-after']);
      expect(waitS).toBe(Math.min(300, 15 * 2 ** (i + 1)));
    }
    move(waitS * 1000);
    expect((await tryToken(limited.token)).status).toBe(200);
    expect((await tryToken(wrong)).status).toBe(401);
    const entries = limited.started.meter.audit
      .read({ limit: 100 })
      .filter(({ action }) => action === 'session.create');
    // Each that was looked at, the first of each row that was not, and how many those were.
    expect(entries.filter(({ reason }) => reason === 'admin_token_invalid')).toHaveLength(12);
    expect(entries.filter(({ reason }) => reason === 'sign_in_limited')).toHaveLength(7);
    expect(entries.filter(({ diff }) => diff.includes('held_back')).map(({ diff }) => diff)).toContain(
      '{"held_back":51}',
    );
  });

  it('holds for tokens that scripts send, and lets the right one in', async () => {
    await using limited = await startAdmin();
    const authorization = `Bearer ${createKeySecret('gwa').secret}`;
    const statuses = [];
    for (let i = 0; i < 8; i++)
      statuses.push((await limited.raw('GET', '/admin/api/keys', { headers: { authorization } })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await limited.script('GET', '/admin/api/keys')).status).toBe(200);
  });
});

describe('a session', () => {
  it('ends when it is not used, at the latest after half a day, and with its streams', async () => {
    const { clock, move } = movedClock();
    await using timed = await startAdmin({}, { clock });
    const idle = await timed.signIn();
    move(29 * 60_000);
    expect((await idle.ask('GET', '/admin/api/session')).status).toBe(200);
    move(29 * 60_000);
    expect((await idle.ask('GET', '/admin/api/session')).status).toBe(200);
    // What the page asks by itself is answered, and is no use of the session.
    move(29 * 60_000);
    const headers = { 'x-background': 'true' };
    expect((await idle.ask('GET', '/admin/api/session', { headers })).status).toBe(200);
    move(60_000);
    expect((await idle.ask('GET', '/admin/api/session')).status).toBe(401);
    const busy = await timed.signIn();
    for (let i = 0; i < 24; i++) {
      expect((await busy.ask('GET', '/admin/api/session')).status).toBe(200);
      move(29 * 60_000);
    }
    expect((await busy.ask('GET', '/admin/api/session')).status).toBe(200);
    move(25 * 60_000);
    expect((await busy.ask('GET', '/admin/api/session')).status).toBe(401);
    const reasons = timed.started.meter.audit.read({ limit: 50 }).filter(({ action }) => action === 'session.end');
    expect(reasons.map(({ reason }) => reason)).toEqual(['idle', 'expired']);
    const streaming = await timed.signIn();
    const types: unknown[] = [];
    for await (const { type } of readEvents(timed.adminPort, '/admin/api/overview/events', streaming.headers)) {
      types.push(type);
      if (types.length === 1) move(31 * 60_000);
    }
    // The stream ends by itself, since reading it is no use of the session.
    expect([types[0], types.at(-1)]).toEqual(['overview', 'session_ended']);
  });

  it('ends with another admin token, all of them, and with signing out', async () => {
    await using replaced = await startAdmin();
    const [first, second] = [await replaced.signIn(), await replaced.signIn()];
    const out = await first.ask('DELETE', '/admin/api/session');
    expect([out.status, String(out.headers['set-cookie'])]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await first.ask('GET', '/admin/api/keys')).status).toBe(401);
    expect((await second.ask('GET', '/admin/api/keys')).status).toBe(200);
    await replaced.started.meter.adminToken.set(createKeySecret('gwa').hash, { kind: 'test' });
    expect((await second.ask('GET', '/admin/api/keys')).status).toBe(401);
    expect((await replaced.script('GET', '/admin/api/keys')).status).toBe(401);
  });
});

describe('an answer', () => {
  it('of any kind may be in no frame, loads nothing, is kept in no cache and is read as what it says', async () => {
    for (const got of [
      await page.ask('GET', '/admin/api/keys'),
      await admin.raw('GET', '/admin/api/keys'),
      await admin.raw('GET', '/nothing'),
      await admin.raw('GET', '/admin/openapi.json'),
      await admin.raw('GET', '/admin/api/keys', { headers: { host: 'evil.example' } }),
      await send(admin.adminPort, 'POST', '/admin/api/session', { body: 'x'.repeat(5_000_000) }),
    ]) {
      const { headers } = got;
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
      expect([headers['x-frame-options'], headers['x-content-type-options']]).toEqual(['DENY', 'nosniff']);
      expect([headers['referrer-policy'], headers['cross-origin-resource-policy']]).toEqual([
        'no-referrer',
        'same-origin',
      ]);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
    }
    expect((await page.ask('GET', '/admin/api/keys')).headers['cache-control']).toBe('no-store');
  });

  it('has 200 names that would be scripts as JSON text alone', async () => {
    await using hostile = await startAdmin();
    const wrappers = [
      '<script>alert(%)</script>',
      '"><img src=x onerror=alert(%)>',
      "'-alert(%)-'",
      '</script><svg onload=alert(%)>',
      'javascript:alert(%)',
    ];
    const payloads = Array.from({ length: 200 }, (_, i) =>
      (wrappers[i % wrappers.length] ?? '').replace('%', String(i)),
    );
    for (const name of payloads) {
      const got = await hostile.script('POST', '/admin/api/keys', { body: { name } });
      expect((got.json as { key: { name: string } }).key.name).toBe(name);
    }
    const got = await hostile.script('GET', '/admin/api/keys?limit=200&sort=name');
    expect(got.headers['content-type']).toBe('application/json; charset=utf-8');
    const names = (got.json as { data: { name: string }[] }).data.map(({ name }) => name);
    expect(names.toSorted()).toEqual(payloads.toSorted());
  });
});

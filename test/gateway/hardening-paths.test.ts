// Requests that a gateway and what is behind it might read in two ways (S1): nothing reaches an upstream but on a path that
// was authorised.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { generatedCases, measuredCases } from '../http/hostile-corpus.js';
import { openRaw, overTransports } from '../http/over-transports.js';
import { startUpstream } from '../relay/raw-upstream.js';
import { startGateway, type HardGateway } from './hardening-gateway.js';
import { whole } from './hardening-upstreams.js';
import { slowness } from '../support/elapsed.js';

/** What a runtime was asked: the first line, and the model. */
interface Asked {
  readonly line: string;
  readonly model: string;
}

/** A gateway before a runtime that notes what it is asked. */
async function startNoting(
  transport: 'node' | 'uws',
): Promise<AsyncDisposable & { readonly gateway: HardGateway; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const runtime = await startUpstream((text, socket) => {
    const line = text.slice(0, text.indexOf('\r\n'));
    if (!line.startsWith('GET /v1/models ')) asked.push({ line, model: /"model":"([^"]*)"/.exec(text)?.[1] ?? '' });
    socket.write(whole('{"object":"list","data":[]}'));
  });
  const gateway = await startGateway({ upstreams: { m: runtime.url }, passthrough: ['/v1/score'] }, { transport });
  return {
    gateway,
    asked,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

/** How long an attacker waits for an answer, and how many there are at once. */
const PATIENCE_MS = 100;
const AT_ONCE = 25;
const BODY = '{"model":"m"}';

/** A request with a key, on a connection that ends behind it. */
async function send({ port, key }: HardGateway, target: string, method = 'POST'): Promise<string> {
  using client = openRaw(port);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    'Connection: close',
  ];
  client.send([...lines, '', BODY].join('\r\n'));
  return await client.closed;
}

/** Targets that are another path, or none, or that a server behind the gateway may read as another path. */
const REFUSED = [
  '/v1/score/',
  '//v1/score',
  '/v1//score',
  '/v1/score//',
  '/v1/./score',
  '/v1/x/../score',
  '/v1/score/../../admin',
  '/v1/score/..',
  '/v1/score/%2e%2e/%2e%2e/admin',
  '/v1/%2e%2e/v1/score',
  '/v1/score%2f..%2f..%2fadmin',
  '/v1%2fscore',
  '/v1/score%00',
  '/v1/score\0',
  '/v1/score\0/admin',
  '/v1/score;x=1',
  '/v1;x/score',
  '/v1/score%3fx',
  '/v1/%72erank',
  '/V1/RERANK',
  '/v1/score#x',
  '/v1\\score',
  '\\v1\\score',
  'v1/score',
  '*',
  '',
  'http://evil.example/v1/score',
  'http://127.0.0.1@evil.example/v1/score',
  '//evil.example/v1/score',
  'HTTP://evil.example/v1/score',
  '/v1/chat/completions/../../../admin',
  '/v1/chat/completions/%2e%2e/admin',
  '/v1/chat%2fcompletions',
  '/v1/chat/completions%00',
  '/v1/chat/completions;jsessionid=1',
  '/v1/chat/%63ompletions',
  '/v1/chat/completions\0',
  '/v1/chat/completions\\..\\admin',
  '/v1/chat/completions/..;/admin',
  '/v1/chat/completions/.%2e/admin',
  '/v1/chat/completions\t/x',
  '/v1/chat/completions HTTP/1.1 /admin',
  '/api/generate',
  '/api/pull',
];

/** Targets that are a path of the file or of the gateway, and the first line that its upstream gets. */
const MEANT: readonly (readonly [target: string, line: string])[] = [
  ['/v1/score', 'POST /v1/score HTTP/1.1'],
  ['/v1/score?a=/../admin&b=%2e%2e', 'POST /v1/score?a=/../admin&b=%2e%2e HTTP/1.1'],
  ['http://{host}/v1/score', 'POST /v1/score HTTP/1.1'],
  ['http://{host}/v1/score?x=1', 'POST /v1/score?x=1 HTTP/1.1'],
  ['/v1/chat/completions', 'POST /v1/chat/completions HTTP/1.1'],
  ['/v1/chat/completions/', 'POST /v1/chat/completions HTTP/1.1'],
  ['//v1//chat/completions?x=1', 'POST /v1/chat/completions?x=1 HTTP/1.1'],
  ['http://{host}/v1/chat/completions', 'POST /v1/chat/completions HTTP/1.1'],
  ['http://{host}//v1/chat/completions/?x=http://a/b', 'POST /v1/chat/completions?x=http://a/b HTTP/1.1'],
];

overTransports('a path', (transport) => {
  it('that is none of the gateway reaches no upstream, however it is written', async () => {
    await using started = await startNoting(transport);
    const { gateway, asked } = started;
    const wrong: unknown[] = [];
    for (const target of REFUSED) {
      const answer = await send(gateway, target);
      if (asked.length > 0 || answer.startsWith('HTTP/1.1 2')) wrong.push({ target, asked: asked.splice(0), answer });
    }
    expect(wrong).toEqual([]);
  });

  it('that is meant reaches it as it is known there, with its query', async () => {
    await using started = await startNoting(transport);
    const { gateway, asked } = started;
    const got: unknown[] = [];
    for (const [target] of MEANT) {
      const answer = await send(gateway, target.replace('{host}', `127.0.0.1:${gateway.port}`));
      got.push([target, answer.slice(9, 12), ...asked.splice(0).map(({ line }) => line)]);
    }
    const served = got.filter((one) => (one as string[])[1] === '200');
    // A transport that does not pass on an absolute target refuses it.
    expect(served.length).toBeGreaterThanOrEqual(MEANT.filter(([target]) => target.startsWith('/')).length);
    expect(served).toEqual(
      MEANT.filter(([target]) => served.some((one) => (one as string[])[0] === target)).map(([target, line]) => [
        target,
        '200',
        line,
      ]),
    );
    if (transport === 'node') expect(served).toHaveLength(MEANT.length);
  });

  it('takes no other method to a runtime than the one it is for', async () => {
    await using started = await startNoting(transport);
    const { gateway, asked } = started;
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'HEAD', 'post']) {
      expect(await send(gateway, '/v1/chat/completions', method)).not.toMatch(/^HTTP\/1\.1 2\d\d (?!No Content)/);
    }
    expect(asked).toEqual([]);
  });

  it('is never asked by what hides in another request', async () => {
    await using started = await startNoting(transport);
    const { gateway, asked } = started;
    const { port, key } = gateway;
    const hidden = '{"model":"m","hidden":1}';
    const smuggled = [
      'POST /v1/score HTTP/1.1',
      'Host: {host}',
      `Authorization: Bearer ${key}`,
      `Content-Length: ${hidden.length}`,
      '',
      hidden,
    ].join('\r\n');
    const original = 'GET /smuggled HTTP/1.1\r\nHost: {host}\r\n\r\n';
    const cases = [...measuredCases, ...generatedCases].filter(
      ({ bytes, intended }) => intended.length === 0 && bytes.includes(original),
    );
    expect(cases.length).toBeGreaterThan(100);
    const answers: string[] = [];
    const patienceMs = PATIENCE_MS * slowness();
    const attack = async ({ bytes }: { readonly bytes: string }): Promise<void> => {
      using client = openRaw(port);
      const keyed = bytes
        .split(original)
        .map((part) =>
          part.replace('/outer', '/v1/score').replace('Host: {host}', `Host: {host}\r\nAuthorization: Bearer ${key}`),
        )
        .join(smuggled);
      client.send(keyed.replaceAll('{host}', `127.0.0.1:${port}`));
      // One that waits for more has said all that it will.
      answers.push(await Promise.race([client.closed, delay(patienceMs).then(() => client.text())]));
    };
    for (let at = 0; at < cases.length; at += AT_ONCE) await Promise.all(cases.slice(at, at + AT_ONCE).map(attack));
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 4')).length).toBeGreaterThan(50);
    expect(asked).toEqual([]);
    // The same where it does not hide.
    await attack({ bytes: original });
    expect(asked).toEqual([{ line: 'POST /v1/score HTTP/1.1', model: 'm' }]);
  });

  it('has no key in its query', async () => {
    await using started = await startNoting(transport);
    const { gateway, asked } = started;
    for (const name of ['key', 'api_key', 'api-key', 'access_token', 'authorization', 'x-api-key', 'token']) {
      const url = `http://127.0.0.1:${gateway.port}/v1/score?${name}=${gateway.key}`;
      const answer = await fetch(url, { method: 'POST', body: BODY });
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain(gateway.key);
    }
    expect(asked).toEqual([]);
    expect(gateway.lines.join('\n') + JSON.stringify(gateway.events)).not.toContain(gateway.key);
  });
});

// Zero retention (S14): after 1,000 requests of every kind nothing of a prompt, an answer or a secret is in a file, a log, a
// metric, a report of a crash, or the answer to somebody else.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createOperator, parseGatewayConfig } from '../../src/gateway/index.js';
import { createKeySecret } from '../../src/metering/index.js';
import { openRaw } from '../http/over-transports.js';
import { ask as askRaw } from '../relay/raw-upstream.js';
import { keyHeaders, startProcess, type GatewayProcess } from './hardening-gateway.js';
import { chunk, chunkedHead, startFaulty, streamHead, whole, type Fault } from './hardening-upstreams.js';

const canary = (what: string): string => `${what}${randomBytes(12).toString('hex')}`;
const PROMPT = canary('prompt');
const ANSWER = canary('answer');
const MODEL = canary('model');
const HEADER = canary('header');
const QUERY = canary('query');
const CREDENTIAL = canary('credential');
const MISTYPED = createKeySecret('gwk').secret;

const quoted = JSON.stringify({ error: { message: `cannot read: ${PROMPT} ${ANSWER}`, code: 'bad' } });
const event = `data: ${JSON.stringify({ choices: [{ delta: { content: ANSWER } }] })}\n\n`;

/** What a runtime does with a prompt, by model. */
const faults: Readonly<Record<string, Fault>> = {
  good: (socket) =>
    void socket.write(
      whole(
        JSON.stringify({
          choices: [{ message: { content: ANSWER } }],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        }),
        [`X-Note: ${ANSWER}`, `Set-Cookie: session=${ANSWER}`],
      ),
    ),
  stream: (socket) => void socket.write(`${chunkedHead}${chunk(event.repeat(3))}${chunk('data: [DONE]\n\n')}0\r\n\r\n`),
  'bad-request': (socket) => void socket.write(whole(quoted, [], '400 Bad Request')),
  'server-error': (socket) => void socket.write(whole(quoted, [`X-Error: ${PROMPT}`], `500 ${ANSWER}`)),
  'rate-limit': (socket) => void socket.write(whole(quoted, [], '429 Too Many Requests')),
  'no-json': (socket) => void socket.write(whole(`<p>${PROMPT}</p>`, ['Content-Type: text/html'])),
  'broken-json': (socket) => void socket.write(whole(`{"choices":[{"message":{"content":"${ANSWER}`)),
  'broken-usage': (socket) => void socket.write(`${streamHead}data: {"usage": {"${ANSWER}\n\n`, () => socket.end()),
  'broken-chunk': (socket) => void socket.write(`${chunkedHead}${chunk(event)}${PROMPT}\r\n`),
  'not-http': (socket) => void socket.end(`${PROMPT}\r\n\r\n`),
  'bad-head': (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${PROMPT}\0: x\r\n\r\n`),
  reset: (socket) => void socket.write(`${chunkedHead}${chunk(event)}`, () => socket.resetAndDestroy()),
  aborted: (socket) => void socket.write(`${chunkedHead}${chunk(event)}`),
  gzip: (socket) => void socket.write(whole(`\x1f\x8b\x08\0${ANSWER}`, ['Content-Encoding: gzip']), 'latin1'),
};

const body = (model: string, more: object = {}): string =>
  JSON.stringify({ model, messages: [{ role: 'user', content: PROMPT }], user: PROMPT, ...more });

/** Requests that are none: bodies and heads with canaries where they do not belong. */
function strange(key: string): readonly (readonly [target: string, init: RequestInit])[] {
  const chats = '/v1/chat/completions';
  const post = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): RequestInit => {
    return { method: 'POST', headers: { ...keyHeaders(key), ...headers }, body: text };
  };
  return [
    [chats, post(`${PROMPT} is no JSON`)],
    [chats, post(`{"model":"good","messages":"${PROMPT}`)],
    [chats, post(`{"model":"${MODEL}","messages":[]}`)],
    [chats, post(`{"model":"good","model":"${MODEL}"}`)],
    [chats, post(`{"model":"good","max_tokens":"${PROMPT}"}`)],
    [chats, post(`{"model":"good","n":"${PROMPT}","stream":"${PROMPT}","stream_options":"${PROMPT}"}`)],
    [chats, post(body('good', { padding: PROMPT.repeat(60_000) }))],
    [chats, post(body('good'), { 'content-encoding': 'gzip' })],
    [chats, post(body('good'), { 'content-encoding': HEADER })],
    [chats, post(body('good'), { 'content-type': HEADER })],
    [
      chats,
      post(body('good'), { 'user-agent': HEADER, 'x-other': HEADER, 'x-forwarded-for': HEADER, referer: HEADER }),
    ],
    [chats, post(body('good'), { cookie: `session=${HEADER}`, 'openai-organization': HEADER })],
    [chats, post(body('good'), { authorization: `Bearer ${MISTYPED}` })],
    [chats, post(body('good'), { authorization: `Basic ${HEADER}` })],
    [chats, post(body('good'), { 'x-api-key': MISTYPED })],
    [chats, { method: 'POST', headers: { 'x-api-key': MISTYPED }, body: body('good') }],
    [`${chats}?key=${QUERY}&api_key=${key}`, post(body('good'))],
    [`${chats}?api_key=${key}`, { method: 'POST', body: body('good') }],
    [`/v1/${QUERY}`, post(body('good'))],
    [`/${QUERY}?q=${PROMPT}`, { headers: keyHeaders(key) }],
    [`/v1/models/${QUERY}`, { headers: keyHeaders(key) }],
    [`/v1/rerank?q=${QUERY}`, post(body('good'))],
    [`/v1/messages?q=${QUERY}`, post(body('stream', { stream: true }))],
    [`/v1/responses`, post(body('bad-request', { input: PROMPT }))],
    [`/v1/embeddings`, post(body('server-error', { input: [PROMPT] }))],
    [chats, { method: 'DELETE', headers: { ...keyHeaders(key), 'x-note': HEADER } }],
  ];
}

/** Heads that no client library sends. */
function rawHeads(port: number, key: string): readonly string[] {
  const host = `Host: 127.0.0.1:${port}`;
  const auth = `Authorization: Bearer ${key}`;
  const line = 'POST /v1/chat/completions HTTP/1.1';
  return [
    [line, host, auth, `Expect: ${HEADER}`, '', ''],
    [line, host, auth, `Origin: ${HEADER}`, '', ''],
    [line, host, auth, `Origin: https://${key}.example`, '', ''],
    [line, `Host: ${HEADER}`, `Host: ${HEADER}`, auth, '', ''],
    [line, host, auth, `${HEADER}: a\x01b`, '', ''],
    [line, host, auth, `Content-Length: ${PROMPT}`, '', PROMPT],
    [line, host, auth, `Transfer-Encoding: ${HEADER}`, '', PROMPT],
    [line, host, auth, 'Transfer-Encoding: chunked', '', `${PROMPT}\r\n${PROMPT}\r\n0\r\n\r\n`],
    [`${PROMPT} /${QUERY} HTTP/1.1`, host, '', ''],
    [`POST /${QUERY} HTTP/9.${HEADER}`, host, '', ''],
    [PROMPT, '', ''],
  ].map((lines) => lines.join('\r\n'));
}

/** Every file below a folder, sockets left out. */
function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

async function ignore(answer: Promise<Response>): Promise<void> {
  await answer.then((response) => response.arrayBuffer()).catch(() => undefined);
}

async function sendAll(gateway: GatewayProcess): Promise<number> {
  const { port, key } = gateway;
  const base = `http://127.0.0.1:${port}`;
  const chats = `${base}/v1/chat/completions`;
  const models = Object.keys(faults);
  let sent = 0;
  for (let round = 0; sent < 1_000; round++) {
    const requests: Promise<void>[] = [];
    for (const model of models) {
      const stream = round % 2 === 0;
      if (model === 'gzip') {
        // By a client that does not decode: fetch of Node 20 waits for ever for the end of some broken gzip.
        const text = body(model, { stream });
        requests.push(
          askRaw(port, 'POST', '/v1/chat/completions', text, undefined, keyHeaders(key)).then(({ status }) =>
            expect(status).toBe(200),
          ),
        );
        continue;
      }
      const leaving = new AbortController();
      const init = { method: 'POST', headers: keyHeaders(key), body: body(model, { stream }), signal: leaving.signal };
      const answer = fetch(chats, init);
      if (model !== 'aborted') requests.push(ignore(answer));
      else requests.push(answer.then(() => leaving.abort()).catch(() => undefined));
    }
    for (const [target, init] of strange(key)) requests.push(ignore(fetch(base + target, init)));
    sent += requests.length;
    await Promise.all(requests);
  }
  for (const head of rawHeads(port, key)) {
    using client = openRaw(port);
    client.send(head);
    await Promise.race([client.closed, client.until((text) => text.includes('\r\n\r\n')).catch(() => ''), delay(500)]);
    sent++;
  }
  return sent;
}

it('keeps nothing of 1,000 requests, good and bad', async () => {
  await using runtime = await startFaulty(faults);
  const upstreams = Object.fromEntries(Object.keys(faults).map((name) => [name, runtime.url]));
  const secretFile = join(process.env['TMPDIR'] ?? '/tmp', `${canary('secret')}.txt`);
  writeFileSync(secretFile, CREDENTIAL, { mode: 0o600 });
  await using gateway = await startProcess({
    upstreams,
    passthrough: ['/v1/rerank'],
    limits: '{ body_mib: 1 }',
    runtimeFields: `, api_key: { file: ${JSON.stringify(secretFile)} }`,
  });
  const { port, key, file } = gateway;
  const { config } = parseGatewayConfig(readFileSync(file.path, 'utf8'), file.path);
  const operator = await createOperator(config, { kind: 'cli' }, () => {});
  const { secret: admin } = (await operator.run('admin-token.create')) as { secret: string };
  const { secret: second } = (await operator.run('keys.create', { name: 'second' })) as { secret: string };
  const made = createKeySecret('gwk').secret;
  await ignore(fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${admin}` } }));
  await ignore(fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${made}` } }));
  expect(await sendAll(gateway)).toBeGreaterThanOrEqual(1_000);
  await ignore(
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: keyHeaders(second),
      body: body('good'),
    }),
  );

  const needles = [PROMPT, ANSWER, MODEL, HEADER, QUERY, CREDENTIAL, MISTYPED, key, second, admin, made].map((needle) =>
    // Of a key all behind its beginning, which lists show.
    /^gw[ka]_/.test(needle) ? needle.slice(10) : needle,
  );
  const hits: string[] = [];
  const search = (where: string, bytes: string): void => {
    for (const needle of needles) {
      for (const form of [needle, Buffer.from(needle).toString('base64').slice(0, -4), encodeURIComponent(needle)]) {
        if (bytes.includes(form)) hits.push(`${where} has ${needle.slice(0, 10)}`);
      }
    }
  };
  const searchFiles = (when: string): void => {
    for (const path of filesOf(file.directory)) search(`${when}: ${path}`, readFileSync(path, 'latin1'));
  };
  searchFiles('running');
  // What may be there is found: the search reads what was written.
  expect(filesOf(file.directory).some((path) => readFileSync(path, 'latin1').includes(second.slice(0, 10)))).toBe(true);
  const ask = async (target: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, init);
    search(`${target} (${answer.status})`, JSON.stringify([...answer.headers]) + (await answer.text()));
  };
  await ask('/metrics');
  await ask('/health');
  await ask('/ready');
  await ask('/openapi.json');
  await ask('/v1/models', { headers: keyHeaders(key) });
  await ask('/v1/models/none', { headers: keyHeaders(key) });
  for (const text of ['', 'x', '{}', '{"model":"none"}', '{"model":"not-http"}', '{"model":"reset","model":"x"}']) {
    await ask('/v1/chat/completions', { method: 'POST', headers: keyHeaders(key), body: text });
  }
  await ask('/v1/chat/completions', { method: 'POST', body: '{}' });
  search('the audit log', JSON.stringify(await operator.run('audit.read', { limit: 1_000 })));
  search('the request log', JSON.stringify(await operator.run('requests', { limit: 1_000 })));
  search('usage', JSON.stringify(await operator.run('usage', { by: 'model' })));
  search('a report of a crash', await gateway.report());
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
  searchFiles('ended');
  search('the log', gateway.output());
  expect(gateway.output().split('\n').length).toBeGreaterThan(1_000);
  expect(hits).toEqual([]);
});

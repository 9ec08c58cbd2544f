// A thousand requests with canaries in them, of every kind, good and bad.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { keyHeaders } from '../../gateway/hardening-gateway.js';
import { openRaw } from '../../http/over-transports.js';
import { ask as askRaw } from '../../relay/raw-upstream.js';
import type { Canaries } from './canaries.js';

/** Whom requests go to. */
export interface RetentionTarget {
  readonly port: number;
  readonly key: string;
  /** A key that there is not. */
  readonly mistyped: string;
  /** The path of an API (`chat/completions`, `rerank`) for a model; it may be another one each time. */
  readonly pathOf: (model: string, api: string) => string;
}

const CHATS = 'chat/completions';
/** Prompts in a large body of the first rounds, and in that of all others: megabytes take most of the time of a round. */
const [LARGE_ROUNDS, LARGE, SMALL] = [3, 20_000, 200];

/** A chat with a canary as its prompt, its user and its tool. */
export function canaryBody({ prompt }: Canaries, model: string, more: object = {}): string {
  const tool = { type: 'function', function: { name: prompt, parameters: { type: 'object', description: prompt } } };
  const messages = [{ role: 'user', content: prompt }];
  return JSON.stringify({ model, messages, tools: [tool], user: prompt, ...more });
}

/** Requests that are none: bodies and heads with canaries where they do not belong. `size`: of the largest two, in prompts. */
function strange(
  { key, mistyped, pathOf }: RetentionTarget,
  canaries: Canaries,
  size: number,
): readonly (readonly [target: string, init: RequestInit])[] {
  const { prompt, model, header, query } = canaries;
  const body = (name: string, more: object = {}): string => canaryBody(canaries, name, more);
  const good = body('good');
  const chats = pathOf('good', CHATS);
  const post = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): RequestInit => {
    return { method: 'POST', headers: { ...keyHeaders(key), ...headers }, body: text };
  };
  return [
    [chats, post(`${prompt} is no JSON`)],
    [chats, post(`{"model":"good","messages":"${prompt}`)],
    [chats, post(`{"model":"${model}","messages":[]}`)],
    [chats, post(`{"model":"good","model":"${model}"}`)],
    [chats, post(`{"model":"good","max_tokens":"${prompt}"}`)],
    [chats, post(`{"model":"good","n":"${prompt}","stream":"${prompt}","stream_options":"${prompt}"}`)],
    // At `LARGE` one fits the limit of a body, and the other does not.
    [chats, post(body('good', { padding: prompt.repeat(size) }))],
    [chats, post(body('good', { padding: prompt.repeat(3 * size) }))],
    [chats, post(good, { 'content-encoding': 'gzip' })],
    [chats, post(good, { 'content-encoding': header })],
    [chats, post(good, { 'content-type': header })],
    [chats, post(good, { 'user-agent': header, 'x-other': header, 'x-forwarded-for': header, referer: header })],
    [chats, post(good, { cookie: `session=${header}`, 'openai-organization': header })],
    [chats, post(good, { 'idempotency-key': `${header} ${header}` })],
    [chats, post(good, { authorization: `Bearer ${mistyped}` })],
    [chats, post(good, { authorization: `Basic ${header}` })],
    [chats, post(good, { 'x-api-key': mistyped })],
    [chats, { method: 'POST', headers: { 'x-api-key': mistyped }, body: good }],
    [`${chats}?key=${query}&api_key=${key}`, post(good)],
    [`${chats}?api_key=${key}`, { method: 'POST', body: good }],
    [pathOf('good', query), post(good)],
    [`/${query}?q=${prompt}`, { headers: keyHeaders(key) }],
    [pathOf('good', `models/${query}`), { headers: keyHeaders(key) }],
    [`${pathOf('good', 'rerank')}?q=${query}`, post(good)],
    [`${pathOf('stream', 'messages')}?q=${query}`, post(body('stream', { stream: true }))],
    [pathOf('bad-request', 'responses'), post(body('bad-request', { input: prompt }))],
    [pathOf('server-error', 'embeddings'), post(body('server-error', { input: [prompt] }))],
    [chats, { method: 'DELETE', headers: { ...keyHeaders(key), 'x-note': header } }],
  ];
}

/** Heads that no client library sends. */
function rawHeads({ port, key, pathOf }: RetentionTarget, { prompt, header, query }: Canaries): readonly string[] {
  const host = `Host: 127.0.0.1:${port}`;
  const auth = `Authorization: Bearer ${key}`;
  const line = `POST ${pathOf('good', CHATS)} HTTP/1.1`;
  return [
    [line, host, auth, `Expect: ${header}`, '', ''],
    [line, host, auth, `Origin: ${header}`, '', ''],
    [line, host, auth, `Origin: https://${key}.example`, '', ''],
    [line, `Host: ${header}`, `Host: ${header}`, auth, '', ''],
    [line, host, auth, `${header}: a\x01b`, '', ''],
    [line, host, auth, `Content-Length: ${prompt}`, '', prompt],
    [line, host, auth, `Transfer-Encoding: ${header}`, '', prompt],
    [line, host, auth, 'Transfer-Encoding: chunked', '', `${prompt}\r\n${prompt}\r\n0\r\n\r\n`],
    [`${prompt} /${query} HTTP/1.1`, host, '', ''],
    [`POST /${query} HTTP/9.${header}`, host, '', ''],
    [prompt, '', ''],
  ].map((lines) => lines.join('\r\n'));
}

/** Waits for an answer and its body, whatever they are. */
export async function ignore(answer: Promise<Response>): Promise<void> {
  await answer.then((response) => response.arrayBuffer()).catch(() => undefined);
}

/** Sends at least a thousand requests for the `models` of upstreams, and gives how many. */
export async function sendCanaries(
  target: RetentionTarget,
  canaries: Canaries,
  models: readonly string[],
): Promise<number> {
  const { port, key, pathOf } = target;
  const base = `http://127.0.0.1:${port}`;
  let sent = 0;
  for (let round = 0; sent < 1_000; round++) {
    const requests: Promise<void>[] = [];
    for (const model of models) {
      const text = canaryBody(canaries, model, { stream: round % 2 === 0 });
      const path = pathOf(model, CHATS);
      if (model === 'gzip') {
        // By a client that does not decode: fetch of Node 20 waits for ever for the end of some broken gzip.
        requests.push(
          askRaw(port, 'POST', path, text, undefined, keyHeaders(key)).then(({ status }) => expect(status).toBe(200)),
        );
        continue;
      }
      const leaving = new AbortController();
      const init = { method: 'POST', headers: keyHeaders(key), body: text, signal: leaving.signal };
      const answer = fetch(base + path, init);
      if (model !== 'aborted') requests.push(ignore(answer));
      else requests.push(answer.then(() => leaving.abort()).catch(() => undefined));
    }
    for (const [path, init] of strange(target, canaries, round < LARGE_ROUNDS ? LARGE : SMALL))
      requests.push(ignore(fetch(base + path, init)));
    sent += requests.length;
    await Promise.all(requests);
  }
  for (const head of rawHeads(target, canaries)) {
    using client = openRaw(port);
    client.send(head);
    await Promise.race([client.closed, client.until((text) => text.includes('\r\n\r\n')).catch(() => ''), delay(500)]);
    sent++;
  }
  return sent;
}

import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request as openRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ended } from '../../e2e/processes.js';
import { hasUws } from '../../http/over-transports.js';

const STREAMS = 1_000;
const IDLE = 5_000;
/** Requests for sixteen long answers each, which the engine is busy with while the idle ones wait. */
const HOLDERS = 16;
/** Of the server's process, for each client that is accepted and waits. */
const IDLE_BYTES = 60_000;

const messages = [{ role: 'user', content: 'Tell me a story.' }];
const requestOf = (seed: number) => ({ model: 'demo', messages, seed, max_tokens: 24, ignore_eos: true });

describe.each(['node', ...(hasUws ? ['uws'] : [])])('a server with a queue of 6,000, over %s', (transport) => {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  let child: ChildProcess;
  let url: URL;

  beforeEach(async () => {
    child = fork(join(import.meta.dirname, '../fixtures/server-process.js'), [transport, '6000'], { silent: true });
    if (child.stdout === null) throw new Error('a child with pipes');
    child.stderr?.resume();
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'close')])) as [
      string,
    ];
    url = new URL(line);
  });
  afterEach(async () => {
    agent.destroy();
    child.kill('SIGKILL');
    await ended(child);
  });

  function open(body: object): Promise<IncomingMessage> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const path = '/v1/chat/completions';
      const request = openRequest(
        { host: url.hostname, port: url.port, path, method: 'POST', headers, agent },
        resolve,
      );
      request.on('error', reject);
      request.end(text);
    });
  }

  async function textOf(response: IncomingMessage): Promise<string> {
    response.setEncoding('utf8');
    let text = '';
    for await (const piece of response) text += String(piece);
    return text;
  }

  it(`gives ${STREAMS} streams at once the whole of what each gets alone`, async () => {
    const texts = await Promise.all(
      Array.from({ length: STREAMS }, async (_, seed) => {
        const response = await open({ ...requestOf(seed), stream: true });
        expect(response.statusCode).toBe(200);
        const events = (await textOf(response)).split('\n\n');
        expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
        const chunks = events
          .filter((event) => event.startsWith('data: {'))
          .map((event): unknown => JSON.parse(event.slice(6)));
        return (chunks as { choices: { delta: { content?: string } }[] }[])
          .map(({ choices }) => choices[0]?.delta.content ?? '')
          .join('');
      }),
    );
    for (let seed = 0; seed < STREAMS; seed += 10) {
      const alone = JSON.parse(await textOf(await open(requestOf(seed)))) as {
        choices: { message: { content: string } }[];
      };
      expect([seed, texts[seed]]).toEqual([seed, alone.choices[0]?.message.content]);
    }
  });

  it(`holds ${IDLE} clients that wait for less than ${IDLE_BYTES} bytes each`, async () => {
    const memory = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;
    // Long answers keep all sequences for most of a minute, so later requests wait.
    const held = await Promise.all(
      Array.from({ length: HOLDERS }, async (_, seed) => {
        const response = await open({ ...requestOf(seed), max_tokens: 900, n: 16, stream: true });
        response.resume();
        return response.statusCode;
      }),
    );
    expect(new Set(held)).toEqual(new Set([200]));
    const before = memory();
    const waiting = await Promise.all(
      Array.from({ length: IDLE }, async (_, seed) => open({ ...requestOf(seed), stream: true })),
    );
    expect(waiting.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const bytes = (memory() - before) / IDLE;
    const metrics = await (await fetch(new URL('/metrics', url))).text();
    expect(Number(/^troupe_sequences_waiting\{.*\} (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0.9 * IDLE);
    console.log(JSON.stringify({ transport, bytesPerWaitingClient: Math.round(bytes) }));
    expect(bytes).toBeLessThan(IDLE_BYTES);
    const health = await fetch(new URL('/health', url));
    expect(health.status).toBe(200);
  });
});

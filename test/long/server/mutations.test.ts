import { Agent, request as openRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomAt, randomKey } from '../../../src/base/index.js';
import { overTransports } from '../../http/over-transports.js';
import { startServing, type Serving } from '../../server/serving.js';

const BODIES = 100_000;
const CLIENTS = 16;
/** A mutated body is refused for what is wrong with it, or is still a good one. Never 500: that is a mistake of ours. */
const EXPECTED = new Set([200, 400, 404, 413, 503]);

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
const seeds: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { model: 'demo', messages: [{ role: 'user', content: 'hé😀' }], max_tokens: 1, seed: 7 }],
  [
    '/v1/chat/completions',
    {
      model: 'demo',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
      stream: true,
      max_tokens: 2,
      n: 2,
      stop: ['b', 'c'],
      logit_bias: { '5': -1.5 },
      logprobs: true,
      top_logprobs: 2,
      tools,
      stream_options: { include_usage: true },
    },
  ],
  ['/v1/completions', { model: 'demo', prompt: ['a', 'b'], max_tokens: 1, echo: true, temperature: 1.5e-3 }],
  ['/v1/embeddings', { model: 'demo', input: [[1, 2, 3], [4]], encoding_format: 'base64' }],
];
const key = randomKey(7);

/** A body with up to four bytes changed, put in, taken out or doubled, or its end cut off. */
function mutate(text: string, round: number): Buffer {
  let place = round * 16;
  const random = (below: number): number => Math.floor(randomAt(key, place++) * below);
  let bytes = Buffer.from(text);
  for (let left = 1 + random(4); left > 0; left--) {
    const at = random(bytes.length);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
    const structural = '{}[]",:0-e'.charCodeAt(random(10));
    const inserted = [[random(256)], [structural], [bytes[at] ?? 0, structural], [bytes[at] ?? 0, bytes[at] ?? 0], []][
      random(5)
    ] as number[];
    bytes = random(20) === 0 ? before : Buffer.concat([before, Buffer.from(inserted), after]);
  }
  return bytes;
}

overTransports(`${BODIES} mutated bodies`, (transport) => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it('are answered or refused, none with a mistake of ours, and the server stays as it was', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const { port } = new URL(serving.url);
    const send = (path: string, body: Buffer): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': body.length };
        const request = openRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
          response.on('error', reject);
        });
        request.on('error', reject);
        request.end(body);
      });
    const statuses = new Map<number, number>();
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < BODIES) {
        const round = next++;
        const [path, seed] = seeds[round % seeds.length] as (typeof seeds)[number];
        const body = mutate(JSON.stringify(seed), round);
        const status = await send(path, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!EXPECTED.has(status)) throw new Error(`round ${round}: ${status} for ${path} ${body.toString('latin1')}`);
      }
    };
    const rss: number[] = [];
    const sampler = setInterval(() => {
      rss.push(process.memoryUsage().rss / 2 ** 20);
      // The suite's own record of the log would grow with each request.
      serving.log.length = 0;
    }, 2_000);
    await Promise.all(Array.from({ length: CLIENTS }, client));
    clearInterval(sampler);
    agent.destroy();
    console.log(JSON.stringify({ transport, ...Object.fromEntries(statuses), rssMib: rss.map(Math.round) }));
    expect(statuses.get(400)).toBeGreaterThan(BODIES / 4);
    expect(statuses.get(200)).toBeGreaterThan(BODIES / 100);
    expect(({} as Record<string, unknown>)['polluted']).toBe(undefined);
    // No more memory in the last quarter than in the second, but for what a garbage collector leaves lying.
    const quarter = rss.length >> 2;
    const most = (from: number, to: number): number => Math.max(...rss.slice(from, to));
    expect(most(3 * quarter, rss.length) - most(quarter, 2 * quarter)).toBeLessThan(100);
    const answer = await serving.post('/v1/chat/completions', {
      model: 'demo',
      messages: [{ role: 'user', content: 'What is the capital of Norway?' }],
      temperature: 0,
    });
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: 'The capital of Norway is Oslo.' }, finish_reason: 'stop' }],
    });
  });
});

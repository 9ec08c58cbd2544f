import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { startServing, type Serving } from './serving.js';

const STORY = { model: 'demo', messages: [{ role: 'user', content: 'Tell me a story.' }], ignore_eos: true };
/** Sequences that run, and two that wait. */
const PLACES = 64 + 2;
/** From the request to the answer that refuses it. */
const REFUSED_MS = 20;

const overloaded: readonly (readonly [string, string, object])[] = [
  ['a conversation', '/v1/chat/completions', STORY],
  ['a stream', '/v1/chat/completions', { ...STORY, stream: true }],
  ['a long prompt', '/v1/chat/completions', { ...STORY, messages: [{ role: 'user', content: 'x '.repeat(300) }] }],
  ['choices', '/v1/chat/completions', { ...STORY, n: 16 }],
  ['a text', '/v1/completions', { model: 'demo', prompt: 'hello' }],
  ['an embedding', '/v1/embeddings', { model: 'demo', input: 'hello' }],
];

overTransports('a server with no place left', (transport) => {
  let serving: Serving;
  /** Kept: fetch cancels the body of a response that is collected as garbage. */
  let streams: Response[];
  const leave = new AbortController();
  beforeAll(async () => {
    serving = await startServing({ maxWaiting: 2 }, { transport });
    // Unread streams keep their sequences.
    const held = Array.from({ length: PLACES / 2 }, async () =>
      serving.post('/v1/chat/completions', { ...STORY, n: 2, stream: true }, { signal: leave.signal }),
    );
    streams = await Promise.all(held);
    expect(streams.map(({ status }) => status)).toEqual(Array(PLACES / 2).fill(200));
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it.each(overloaded)('refuses %s at once, with a status and a time of its own', async (_, path, body) => {
    const times: number[] = [];
    for (let i = 0; i < 10; i++) {
      const start = performance.now();
      const response = await serving.post(path, body);
      times.push(performance.now() - start);
      expect([response.status, response.headers.get('retry-after'), response.headers.get('retry-after-ms')]).toEqual([
        503,
        '1',
        '1000',
      ]);
      expect(await response.json()).toMatchObject({ error: { type: 'server_error', code: 'overloaded', param: null } });
    }
    // The best of ten: engine and clients share the cores.
    expect(Math.min(...times)).toBeLessThan(REFUSED_MS);
  });

  it('still tells how it is', async () => {
    const [health, metrics] = await Promise.all([fetch(`${serving.url}/health`), fetch(`${serving.url}/metrics`)]);
    expect([health.status, metrics.status]).toEqual([200, 200]);
    const text = await metrics.text();
    const gauge = (name: string): number =>
      Number(new RegExp(`^troupe_sequences_${name}\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1]);
    // How many of them run changes from step to step: those that must make room for others wait again.
    expect(gauge('running') + gauge('waiting')).toBe(PLACES);
  });

  it('takes requests again as soon as others have left', async () => {
    expect(streams.map(({ bodyUsed }) => bodyUsed)).toEqual(Array(PLACES / 2).fill(false));
    leave.abort();
    await expect
      .poll(async () => (await serving.post('/v1/chat/completions', { ...STORY, max_tokens: 2 })).status, {
        timeout: 120_000,
      })
      .toBe(200);
    const answers = Array.from({ length: 20 }, async () =>
      serving.post('/v1/chat/completions', { ...STORY, max_tokens: 2 }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });
});

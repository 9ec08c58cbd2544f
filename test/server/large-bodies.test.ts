import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { startServing, type Serving } from './serving.js';

const OSLO = { model: 'demo', messages: [{ role: 'user', content: 'What is the capital of Norway?' }], temperature: 0 };
/** Past the size from which bodies are read on a thread. */
const LARGE = { metadata: { pad: 'é'.repeat(200_000) } };

overTransports('large bodies', (transport) => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it('are answered as small ones', async () => {
    const init = { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } };
    const body = { ...OSLO, ...LARGE };
    const answers = await Promise.all([
      serving.post('/v1/chat/completions', body),
      serving.post('/v1/chat/completions', gzipSync(JSON.stringify(body)), init),
      serving.post('/v1/chat/completions', body),
    ]);
    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({
        choices: [{ message: { content: 'The capital of Norway is Oslo.' }, finish_reason: 'stop' }],
      });
    }
  });

  it.each([
    ['a wrong type', '/v1/chat/completions', { ...OSLO, temperature: 'hot' }],
    ['a missing field', '/v1/embeddings', { model: 'demo' }],
    ['a value out of range', '/v1/completions', { model: 'demo', prompt: 'a', n: 17 }],
    ['a model that is not there', '/v1/completions', { model: 'none', prompt: 'a' }],
  ])('are refused for %s in the same words', async (_, path, body) => {
    const [small, large] = await Promise.all([serving.post(path, body), serving.post(path, { ...body, ...LARGE })]);
    expect(small.status).toBeGreaterThanOrEqual(400);
    expect([large.status, await large.json()]).toEqual([small.status, await small.json()]);
  });

  it.each([
    ['is no JSON', '{"model":"demo"', 'is not JSON'],
    ['has a key twice', '{"a":1,"a":2}', 'repeats a key'],
    [
      'has more keys than any request',
      JSON.stringify(Object.fromEntries(Array.from({ length: 65_600 }, (__, i) => [i, 1]))),
      'more than 65536',
    ],
  ])('are refused when one %s', async (_, text, why) => {
    const response = await serving.post('/v1/chat/completions', text + ' '.repeat(200_000));
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code, error.message.includes(why)]).toEqual([400, 'json_parse_error', true]);
  });
});

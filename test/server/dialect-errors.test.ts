import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { expectGolden, GOLDEN_ID, readGoldenErrors } from './golden-errors.js';
import { startServing, type Serving } from './serving.js';

const responses = readGoldenErrors('responses/errors.json');
const messages = readGoldenErrors('messages/errors.json');
const byName = (golden: readonly ReturnType<typeof readGoldenErrors>[0][]) =>
  golden.map((one) => [one.name, one] as const);

overTransports('a request that cannot be answered', (transport) => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it('has at least sixty kinds in each API', () => {
    for (const golden of [responses, messages]) {
      expect(golden.length).toBeGreaterThanOrEqual(60);
      expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length);
    }
  });

  it.each(byName(responses))('of responses: %s', async (_, one) => {
    expect(Object.keys(await expectGolden(serving, one))).toEqual(['error']);
  });

  it.each(byName(messages))('of messages: %s', async (_, one) => {
    const { error, ...rest } = await expectGolden(serving, one);
    expect(Object.keys(error)).toEqual(['type', 'message', 'code']);
    expect(rest).toEqual({ type: 'error', request_id: GOLDEN_ID });
  });

  it('says nothing of the request in the log', () => {
    expect(serving.log.length).toBeGreaterThanOrEqual(responses.length + messages.length);
    expect(JSON.stringify(serving.log)).not.toMatch(/gpt-4o|robot|one two three|web_search/);
  });
});

it('refusals of the listener itself are in the form of the path', async () => {
  await using serving = await startServing({}, { limits: { bodyBytes: 64 } });
  const body = { model: 'demo', input: 'x'.repeat(100) };
  const answers = await Promise.all(
    ['/v1/responses', '/v1/messages', '/v1/messages/count_tokens'].map((path) => serving.post(path, body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
  const bodies = await Promise.all(answers.map((answer) => answer.json()));
  expect(bodies).toMatchObject([
    { error: { type: 'invalid_request_error', code: 'request_too_large', param: null } },
    { type: 'error', error: { type: 'request_too_large', code: 'request_too_large' } },
    { type: 'error', error: { type: 'request_too_large', code: 'request_too_large' } },
  ]);
});

it('a server that has no place left says so as each API does', async () => {
  await using serving = await startServing({ maxWaiting: 1 });
  const flood = Array.from({ length: 80 }, () =>
    serving.post('/v1/messages', {
      model: 'demo',
      max_tokens: 200,
      ignore_eos: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  );
  const answers = await Promise.all(flood);
  const refused = answers.find(({ status }) => status !== 200);
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([529, '1']);
  expect(await refused?.json()).toMatchObject({
    type: 'error',
    error: { type: 'overloaded_error', code: 'overloaded' },
  });
});

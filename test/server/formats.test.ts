// What of a schema is not held is named: in a header, and its keywords in the log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from './serving.js';

const messages = [{ role: 'user', content: 'What is the capital of Norway?' }];
const CHAT = '/v1/chat/completions';
const HEADER = 'x-unenforced-keywords';
/** A keyword that cannot be held, under a name that is the user's own. */
const schema = {
  type: 'object',
  properties: {
    'größe, geheim': { type: 'array', items: { type: 'string', maxLength: 4 }, maxItems: 2, uniqueItems: true },
  },
  required: ['größe, geheim'],
  additionalProperties: false,
};
const format = (strict?: boolean): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict } },
});

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

describe.each([false, true])('streamed: %s', (stream) => {
  const ask = (more: object): Promise<Response> =>
    serving.post(CHAT, { model: 'demo', messages, temperature: 0, max_tokens: 60, stream, ...more });

  it('a schema that is held as a whole names nothing', async () => {
    const answer = await ask({ response_format: { type: 'json_object' } });
    await answer.text();
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, null]);
  });

  it('what is left out is named by its place, and the log has the keyword without the name', async () => {
    const answer = await ask(format(false));
    await answer.text();
    expect(answer.status).toBe(200);
    expect(decodeURI(answer.headers.get(HEADER) ?? '')).toBe('/properties/größe%2C geheim/uniqueItems');
    const line = serving.log.findLast(({ event }) => event === 'request');
    expect(line).toMatchObject({ status: 200, unenforced: ['uniqueItems'] });
    expect(JSON.stringify(serving.log)).not.toContain('geheim');
  });

  it('without a word, what cannot be held is refused', async () => {
    const answer = await ask(format());
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_schema', param: 'response_format' } });
  });

  it('a tool that the model may call is not refused for its schema, and named', async () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }];
    const answer = await ask({ tools });
    await answer.text();
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, expect.stringContaining('uniqueItems')]);
  });
});

it('a list that is too long for a header is cut, and says so', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `a_rather_long_name_of_a_property_${i}`);
  const list = { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, maxItems: 1, uniqueItems: true };
  const many = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { ...list, maxItems: 2 }])),
  };
  const answer = await serving.post(CHAT, {
    model: 'demo',
    messages,
    max_tokens: 4,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: many, strict: false } },
  });
  await answer.text();
  expect(answer.status).toBe(200);
  const header = answer.headers.get(HEADER) ?? '';
  expect(header.length).toBeLessThan(1_100);
  expect(header).toMatch(/, and \d+ more$/);
});

import { createOpenAI, type OpenAIResponsesProviderOptions } from '@ai-sdk/openai';
import { APICallError, generateText, jsonSchema, Output, streamText, type ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToolLoop, OSLO } from './ai-sdk-tools.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
let provider: ReturnType<typeof createOpenAI>;
beforeAll(async () => {
  serving = await startServing();
  provider = createOpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any' });
});
afterAll(() => serving[Symbol.asyncDispose]());

/** Of the provider's own: without `store: false` it sends references to items instead of the items. */
const openai = { store: false } satisfies OpenAIResponsesProviderOptions;

describe('the ai package over @ai-sdk/openai, whose default is responses', () => {
  it('generates text with its counts', async () => {
    const { text, usage, finishReason } = await generateText({ model: provider('demo'), prompt: OSLO, temperature: 0 });
    expect([text, finishReason, usage.outputTokens]).toEqual(['The capital of Norway is Oslo.', 'stop', 8]);
  });

  it('streams text, with usage', async () => {
    const stream = streamText({ model: provider('demo'), prompt: OSLO, temperature: 0 });
    expect(await stream.text).toBe('The capital of Norway is Oslo.');
    expect((await stream.usage).outputTokens).toBe(8);
  });

  it('streams reasoning apart from the answer', async () => {
    // For unknown models it sends no effort without `forceReasoning`, and no temperature with it.
    const options = { ...openai, forceReasoning: true, reasoningEffort: 'high', reasoningSummary: 'auto' } as const;
    const request = { model: provider('demo'), prompt: 'Please compute 59+14.', providerOptions: { openai: options } };
    const stream = streamText(request);
    expect(await stream.text).not.toBe('');
    expect(await stream.reasoningText).toMatch(/\d/);
    expect((await generateText(request)).reasoningText).toMatch(/\d/);
  });

  it.each(['whole', 'streamed'] as const)('goes round its tool loop, %s', (how) =>
    expectToolLoop(how, provider('demo'), { providerOptions: { openai } }),
  );

  it('generates an object of a schema', async () => {
    const { output } = await generateText({
      model: provider('demo'),
      prompt: 'Is it warm in Oslo?',
      temperature: 0,
      output: Output.object({
        schema: jsonSchema<{ n: number }>({
          type: 'object',
          properties: { n: { type: 'integer' } },
          required: ['n'],
          additionalProperties: false,
        }),
      }),
    });
    expect(output).toEqual({ n: expect.any(Number) });
  });

  it('goes on with a conversation, and gets instructions where it sends references', async () => {
    const first = await generateText({ model: provider('demo'), prompt: OSLO, temperature: 0 });
    const messages: ModelMessage[] = [
      { role: 'user', content: OSLO },
      ...first.response.messages,
      { role: 'user', content: OSLO },
    ];
    const request = { model: provider('demo'), messages, temperature: 0, maxRetries: 0 };
    expect((await generateText({ ...request, providerOptions: { openai } })).text).toContain('Oslo');
    const refused = generateText(request);
    await expect(refused).rejects.toThrow('"store": false');
    await expect(refused).rejects.toSatisfy((error) => APICallError.isInstance(error) && error.statusCode === 400);
  });

  it('reports the error that ends a begun stream', async () => {
    await using closing = await startServing();
    const own = createOpenAI({ baseURL: `${closing.url}/v1`, apiKey: 'any', fetch: withoutEnd });
    const errors: unknown[] = [];
    const stream = streamText({ model: own('demo'), prompt: OSLO, onError: ({ error }) => void errors.push(error) });
    for await (const _ of stream.textStream) void closing.server.drain(0);
    expect(JSON.stringify(errors)).toContain('shutting down');
    expect(await stream.finishReason).toBe('error');
  });
});

/** Sends a request whose answer does not end by itself. */
const withoutEnd: typeof fetch = (url, init) => {
  if (typeof init?.body !== 'string') throw new Error('the provider sends a text');
  return fetch(url, { ...init, body: init.body.replace('{', '{"ignore_eos":true,') });
};

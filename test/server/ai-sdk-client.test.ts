import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany, generateText, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToolLoop, OSLO } from './ai-sdk-tools.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
let provider: ReturnType<typeof createOpenAICompatible>;
beforeAll(async () => {
  serving = await startServing();
  provider = createOpenAICompatible({
    name: 'troupe',
    baseURL: `${serving.url}/v1`,
    apiKey: 'any',
    includeUsage: true,
  });
});
afterAll(() => serving[Symbol.asyncDispose]());

describe('the ai package over @ai-sdk/openai-compatible', () => {
  it('generates text with its counts', async () => {
    const { text, usage, finishReason } = await generateText({ model: provider('demo'), prompt: OSLO, temperature: 0 });
    expect([text, finishReason, usage.outputTokens]).toEqual(['The capital of Norway is Oslo.', 'stop', 8]);
  });

  it('streams text, with usage', async () => {
    const stream = streamText({ model: provider('demo'), prompt: OSLO, temperature: 0 });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe('The capital of Norway is Oslo.');
    expect((await stream.usage).outputTokens).toBe(8);
  });

  it('streams reasoning apart from the answer', async () => {
    const stream = streamText({
      model: provider('demo'),
      prompt: 'Please compute 59+14.',
      temperature: 0,
      providerOptions: { troupe: { enable_thinking: true } },
    });
    expect(await stream.text).toBe('73');
    expect(await stream.reasoningText).toBe('9+4=13, 5+1+1=7. So 59+14=73.');
  });

  it.each(['whole', 'streamed'] as const)('goes round its tool loop, %s', (how) =>
    expectToolLoop(how, provider('demo')),
  );

  it('embeds', async () => {
    const { embeddings } = await embedMany({ model: provider.embeddingModel('demo'), values: ['hello', 'world'] });
    expect(embeddings.map(({ length }) => length)).toEqual([192, 192]);
  });

  it('aborts, and the engine stops', async () => {
    const controller = new AbortController();
    const stream = streamText({ model: provider('demo'), prompt: 'Tell me a story.', abortSignal: controller.signal });
    for await (const _ of stream.textStream) controller.abort();
    const [model] = serving.host.openModels();
    await expect.poll(async () => model?.client.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('throws its APICallError with our message', async () => {
    const failed = generateText({ model: provider('nobody'), prompt: OSLO, maxRetries: 0 });
    await expect(failed).rejects.toSatisfy((error) => APICallError.isInstance(error) && error.statusCode === 404);
    await expect(failed).rejects.toThrow('there is no model "nobody"');
  });
});

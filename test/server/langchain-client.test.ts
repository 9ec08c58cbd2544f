import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const OSLO = 'What is the capital of Norway?';
const chat = (model = 'demo'): ChatOpenAI =>
  new ChatOpenAI({
    model,
    temperature: 0,
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL: `${serving.url}/v1` },
  });
const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

describe('@langchain/openai', () => {
  it('invokes, and keeps usage and fingerprint', async () => {
    const answer = await chat().invoke(OSLO);
    expect(answer.text).toBe('The capital of Norway is Oslo.');
    expect(answer.usage_metadata).toMatchObject({ output_tokens: 8 });
    expect(answer.response_metadata).toMatchObject({
      finish_reason: 'stop',
      system_fingerprint: expect.stringMatching(/^fp_/) as string,
    });
  });

  it('streams, and its chunks add up to the answer with usage', async () => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(OSLO)) whole = whole === undefined ? chunk : whole.concat(chunk);
    expect(whole?.text).toBe('The capital of Norway is Oslo.');
    expect(whole?.usage_metadata).toMatchObject({ output_tokens: 8 });
  });

  it.each(['whole', 'streamed'])('goes round a tool loop, %s', async (how) => {
    const model = chat().bindTools([WEATHER]);
    const messages: BaseMessage[] = [new HumanMessage('Is it warm in Oslo?')];
    const ask = async (): Promise<AIMessageChunk> => {
      if (how === 'whole') return model.invoke(messages);
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(messages)) whole = whole === undefined ? chunk : whole.concat(chunk);
      if (whole === undefined) throw new Error('an empty stream');
      return whole;
    };
    const first = await ask();
    expect(first.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }]);
    messages.push(first);
    for (const { id } of first.tool_calls ?? []) {
      messages.push(new ToolMessage({ tool_call_id: id ?? '', content: '{"temperature": 21, "sky": "sunny"}' }));
    }
    expect((await ask()).text).toMatch(/21|sunny|warm/i);
  });

  it('embeds', async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'demo',
      apiKey: 'any',
      configuration: { baseURL: `${serving.url}/v1` },
    });
    const vectors = await embeddings.embedDocuments(['hello', 'world']);
    expect(vectors.map(({ length }) => length)).toEqual([192, 192]);
  });

  it('aborts, and the engine stops', async () => {
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of await chat().stream('Tell me a story.', { signal: controller.signal })) controller.abort();
    })();
    await expect(reading).rejects.toThrow();
    const [model] = serving.host.openModels();
    await expect.poll(async () => model?.client.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('throws the error of the openai package', async () => {
    await expect(chat('nobody').invoke(OSLO)).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const OSLO = 'What is the capital of Norway?';
const chat = (): ChatOllama => new ChatOllama({ model: 'demo', baseUrl: serving.url, temperature: 0, maxRetries: 0 });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const description = 'Get the current weather in a city.';
const WEATHER = { type: 'function' as const, function: { name: 'get_weather', description, parameters } };

describe('@langchain/ollama', () => {
  it('invokes and streams, with usage', async () => {
    const answer = await chat().invoke(OSLO);
    expect(answer.text).toBe('The capital of Norway is Oslo.');
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 19, output_tokens: 8 });
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream(OSLO)) whole = whole === undefined ? chunk : whole.concat(chunk);
    expect(whole?.text).toBe(answer.text);
    expect(whole?.usage_metadata).toMatchObject({ output_tokens: 8 });
  });

  it('goes round a tool loop', async () => {
    const model = chat().bindTools([WEATHER]);
    const messages: BaseMessage[] = [new HumanMessage('Is it warm in Oslo?')];
    const first = await model.invoke(messages);
    expect(first.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }]);
    const [call] = first.tool_calls ?? [];
    const content = '{"temperature": 21, "sky": "sunny"}';
    messages.push(first, new ToolMessage({ tool_call_id: call?.id ?? '', name: 'get_weather', content }));
    expect((await model.invoke(messages)).text).toMatch(/21|sunny|warm/i);
  });

  it('embeds', async () => {
    const embeddings = new OllamaEmbeddings({ model: 'demo', baseUrl: serving.url });
    const vectors = await embeddings.embedDocuments(['hello', 'world']);
    expect(vectors.map(({ length }) => length)).toEqual([192, 192]);
  });
});

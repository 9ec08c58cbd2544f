// node clients.mjs URL [KEY]: the newest clients against a server with the demo model. Prints one line for each that did.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { embedMany, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';

const baseURL = `${process.argv[2]}/v1`;
const apiKey = process.argv[3] ?? 'any';
const messages = [{ role: 'user', content: 'What is the capital of Norway?' }];
const OSLO = 'The capital of Norway is Oslo.';
const WARM = { role: 'user', content: 'Is it warm in Oslo?' };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const description = 'Get the current weather in a city.';
const SUNNY = { temperature: 21, sky: 'sunny' };

async function openai() {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const whole = await client.chat.completions.create({ model: 'demo', messages, temperature: 0 });
  assert.equal(whole.choices[0].message.content, OSLO);
  const stream = client.chat.completions.stream({ model: 'demo', messages, temperature: 0 });
  assert.equal((await stream.finalChatCompletion()).choices[0].message.content, OSLO);
  const runner = client.chat.completions.runTools({
    model: 'demo',
    temperature: 0,
    stream: true,
    messages: [WARM],
    tools: [
      {
        type: 'function',
        function: { name: 'get_weather', description, parameters, parse: JSON.parse, function: () => SUNNY },
      },
    ],
  });
  assert.match(await runner.finalContent(), /21|sunny|warm/i);
  const ids = [];
  for await (const { id } of client.models.list()) ids.push(id);
  assert.deepEqual(ids, ['demo']);
  const { data } = await client.embeddings.create({ model: 'demo', input: ['hello', 'world'] });
  assert.deepEqual(
    data.map(({ embedding }) => embedding.length),
    [192, 192],
  );
  const left = await client.chat.completions.create({ model: 'demo', messages, stream: true });
  // Leaving the loop aborts the request. Within it, the next read of Node 20's fetch may never settle after an abort.
  for await (const _ of left) break;
  await assert.rejects(client.chat.completions.create({ model: 'nobody', messages }), OpenAI.NotFoundError);
  await assert.rejects(
    client.chat.completions.create({ model: 'demo', messages, temperature: 9 }),
    (error) => error instanceof OpenAI.BadRequestError && error.param === 'temperature',
  );
}

async function ai() {
  const provider = createOpenAICompatible({ name: 'troupe', baseURL, apiKey, includeUsage: true });
  const model = provider('demo');
  const prompt = messages[0].content;
  assert.equal((await generateText({ model, prompt, temperature: 0 })).text, OSLO);
  const stream = streamText({ model, prompt, temperature: 0 });
  assert.equal(await stream.text, OSLO);
  assert.equal((await stream.usage).outputTokens, 8);
  const tools = {
    get_weather: tool({ description, inputSchema: jsonSchema(parameters), execute: async () => SUNNY }),
  };
  const round = await generateText({ model, prompt: WARM.content, temperature: 0, tools, stopWhen: stepCountIs(3) });
  assert.match(round.text, /21|sunny|warm/i);
  const { embeddings } = await embedMany({ model: provider.embeddingModel('demo'), values: ['hello'] });
  assert.equal(embeddings[0].length, 192);
}

async function langchain() {
  const chat = new ChatOpenAI({
    model: 'demo',
    temperature: 0,
    apiKey,
    maxRetries: 0,
    configuration: { baseURL },
  });
  const answer = await chat.invoke(messages[0].content);
  assert.equal(answer.text, OSLO);
  assert.equal(answer.usage_metadata.output_tokens, 8);
  let whole;
  for await (const chunk of await chat.stream(messages[0].content))
    whole = whole === undefined ? chunk : whole.concat(chunk);
  assert.equal(whole.text, OSLO);
  const called = await chat
    .bindTools([{ type: 'function', function: { name: 'get_weather', description, parameters } }])
    .invoke(WARM.content);
  assert.equal(called.tool_calls[0].name, 'get_weather');
}

for (const [name, run] of Object.entries({ openai, ai, langchain })) {
  await run();
  console.log(name);
}

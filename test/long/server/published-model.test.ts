// Clients with a published model, Qwen2.5-Coder-0.5B in Q4_K_M: answers of a required shape, forced calls, each dialect.
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOllama } from '@langchain/ollama';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, Output } from 'ai';
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findRealModel } from '../../../bench/peers/llama-cpp/real-models.js';
import { startServing, type Serving } from '../../server/serving.js';
import { python, whyNoPython } from '../../support/python-clients.js';

const start = promisify(execFile);
const NAME = 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf';
const found = await findRealModel(NAME, process.env['REAL_MODELS_ROOT'] ?? process.cwd());
const model = NAME.replace(/\.gguf$/, '');
const question = 'Give the city of Oslo with its country and its population in thousands.';
const Place = z.object({ city: z.string(), country: z.string(), population: z.number() });
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
};
const tool = { name: 'get_weather', description: 'The weather of a city', parameters };
const tools = [{ type: 'function' as const, function: tool }];
/** A field that the types of Anthropic's package leave out. */
const greedy = { temperature: 0 };
const isWeather = (args: unknown): boolean => {
  const { city, unit } = args as { city: unknown; unit: string };
  return typeof city === 'string' && ['celsius', 'fahrenheit'].includes(unit);
};

describe.skipIf('reason' in found)(
  `clients with ${model}${'reason' in found ? ` (skipped: ${found.reason})` : ''}`,
  () => {
    let serving: Serving;
    let openai: OpenAI;
    beforeAll(async () => {
      serving = await startServing();
      if ('path' in found) symlinkSync(found.path, join(serving.modelsDir, NAME));
      openai = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any', maxRetries: 0 });
    });
    afterAll(() => serving[Symbol.asyncDispose]());

    it('openai parses an answer by a Zod schema', async () => {
      const answer = await openai.chat.completions.parse({
        model,
        temperature: 0,
        messages: [{ role: 'user', content: question }],
        response_format: zodResponseFormat(Place, 'place'),
      });
      expect(answer.choices[0]?.message.parsed).toMatchObject({ city: 'Oslo', country: 'Norway' });
    });

    it('openai gets a forced call, whole and in pieces that join', async () => {
      const ask = {
        model,
        temperature: 0,
        messages: [{ role: 'user' as const, content: 'How warm is it in Rome?' }],
        tools,
        tool_choice: 'required' as const,
        parallel_tool_calls: false,
      };
      const whole = await openai.chat.completions.create(ask);
      const [call] = whole.choices[0]?.message.tool_calls ?? [];
      expect(whole.choices[0]?.finish_reason).toBe('tool_calls');
      expect(call?.type === 'function' && isWeather(JSON.parse(call.function.arguments))).toBe(true);
      let text = '';
      for await (const { choices } of await openai.chat.completions.create({ ...ask, stream: true }))
        for (const piece of choices[0]?.delta.tool_calls ?? [])
          if (piece.index === 0) text += piece.function?.arguments ?? '';
      expect(isWeather(JSON.parse(text))).toBe(true);
    });

    it('openai runs a tool that must be called', async () => {
      const run = openai.chat.completions.runTools({
        model,
        temperature: 0,
        messages: [{ role: 'user', content: 'What is the weather in Rome?' }],
        tool_choice: { type: 'function', function: { name: tool.name } },
        tools: [{ type: 'function', function: { ...tool, parse: JSON.parse, function: () => 'sunny, 31 degrees' } }],
      });
      expect(await run.finalFunctionToolCallResult()).toBe('sunny, 31 degrees');
      expect(isWeather(JSON.parse((await run.finalFunctionToolCall())?.arguments ?? '{}'))).toBe(true);
    });

    it('openai responds by a schema, streamed', async () => {
      const stream = openai.responses.stream({
        model,
        temperature: 0,
        input: question,
        store: false,
        text: {
          format: { type: 'json_schema', name: 'place', schema: z.toJSONSchema(Place) },
        },
      });
      expect(Place.parse(JSON.parse((await stream.finalResponse()).output_text)).city).toBe('Oslo');
    });

    it('Anthropic gets a forced call', async () => {
      const client = new Anthropic({ baseURL: serving.url, apiKey: 'any', maxRetries: 0 });
      const message = await client.messages.create({
        model,
        max_tokens: 200,
        ...greedy,
        messages: [{ role: 'user', content: 'How warm is it in Rome?' }],
        tools: [
          { name: tool.name, description: tool.description, input_schema: parameters as Anthropic.Tool.InputSchema },
        ],
        tool_choice: { type: 'tool', name: tool.name },
      });
      const use = message.content.find((block) => block.type === 'tool_use');
      expect(isWeather(use?.input)).toBe(true);
    });

    it('Ollama gets an answer of a schema, lists, shows and knows what is loaded', async () => {
      const client = new Ollama({ host: serving.url });
      const answer = await client.chat({
        model,
        messages: [{ role: 'user', content: question }],
        format: z.toJSONSchema(Place),
        options: { temperature: 0 },
      });
      expect(Place.parse(JSON.parse(answer.message.content)).city).toBe('Oslo');
      const { models: listed } = await client.list();
      expect(listed.find(({ name }) => name.startsWith(model))?.details.quantization_level).toBe('Q4_K_M');
      expect((await client.show({ model })).capabilities).toContain('tools');
      expect((await client.ps()).models.some(({ name }) => name.startsWith(model))).toBe(true);
    });

    it('the ai package gets an object over chat completions, and over responses', async () => {
      const compatible = createOpenAICompatible({
        name: 'troupe',
        baseURL: `${serving.url}/v1`,
        apiKey: 'any',
        supportsStructuredOutputs: true,
      });
      const responses = createOpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any' });
      for (const provider of [compatible, responses]) {
        const { output } = await generateText({
          model: provider(model),
          prompt: question,
          temperature: 0,
          output: Output.object({ schema: jsonSchema(z.toJSONSchema(Place) as object) }),
          providerOptions: { openai: { store: false } },
        });
        expect(Place.parse(output).city).toBe('Oslo');
      }
    });

    it('langchain gets a forced call, and an answer of a schema from Ollama', async () => {
      const chat = new ChatOpenAI({
        model,
        temperature: 0,
        apiKey: 'any',
        maxRetries: 0,
        configuration: { baseURL: `${serving.url}/v1` },
      });
      const called = await chat.bindTools(tools, { tool_choice: 'required' }).invoke('How warm is it in Rome?');
      expect(called.tool_calls?.map(({ name, args }) => [name, isWeather(args)])).toContainEqual([tool.name, true]);
      const ollama = new ChatOllama({
        model,
        baseUrl: serving.url,
        temperature: 0,
        maxRetries: 0,
        format: z.toJSONSchema(Place),
      });
      expect(Place.parse(JSON.parse((await ollama.invoke(question)).text)).city).toBe('Oslo');
    });

    it.skipIf(whyNoPython !== '')(
      `Python's openai, anthropic and ollama get what they ask for${whyNoPython}`,
      async () => {
        const { stdout } = await start(python, ['test/newest/published_client.py', serving.url, model]);
        expect(stdout).toMatch(/^openai \d[^]*\nanthropic \d[^]*\nollama \d/);
      },
    );

    it('the same question has the same answer in all dialects', async () => {
      const messages = [{ role: 'user' as const, content: 'Name three rivers of France.' }];
      const chat = await openai.chat.completions.create({ model, messages, temperature: 0, max_tokens: 40 });
      const text = chat.choices[0]?.message.content;
      const response = await openai.responses.create({
        model,
        input: messages,
        temperature: 0,
        max_output_tokens: 40,
        store: false,
      });
      const ollama = await new Ollama({ host: serving.url }).chat({
        model,
        messages,
        options: { temperature: 0, num_predict: 40 },
      });
      const message = await new Anthropic({ baseURL: serving.url, apiKey: 'any' }).messages.create({
        model,
        messages,
        ...greedy,
        max_tokens: 40,
      });
      expect(response.output_text).toBe(text);
      expect(ollama.message.content).toBe(text);
      expect(message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')).toBe(text);
    });
  },
);

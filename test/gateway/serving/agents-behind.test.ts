// Requests in the shapes of coding agents through the gateway to the engine, which has their APIs: nothing is translated.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claudeBody, codexBody } from './agent-bodies.js';
import { startEngineBehind, type EngineBehind } from './engine-behind.js';

let behind: EngineBehind;
beforeAll(async () => {
  behind = await startEngineBehind('node');
});
afterAll(() => behind[Symbol.asyncDispose]());

/** Turns that the context of the demo model has room for: 1,024 tokens with the tools. */
const TURNS = { claude: 2, codex: 6 };
const LIMITS = { model: 'demo', temperature: 0 };

it('the engine answers Claude Code, whole and streamed, and names what it left out', async () => {
  const { gateway, key } = behind;
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 });
  // The demo model reads no images.
  const { messages, ...rest } = claudeBody(TURNS.claude);
  const [, ...turns] = messages as Anthropic.MessageParam[];
  const body = {
    ...rest,
    ...LIMITS,
    max_tokens: 8,
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: 'Read a.' }, ...turns],
  } as unknown as Anthropic.MessageCreateParamsNonStreaming;
  const { data, response } = await anthropic.messages.create(body).withResponse();
  const streamed = await anthropic.messages.stream(body).finalMessage();
  expect(streamed.content.map((block) => ({ ...block, id: 0 }))).toEqual(
    data.content.map((block) => ({ ...block, id: 0 })),
  );
  expect(streamed.usage.output_tokens).toBe(data.usage.output_tokens);
  expect(response.headers.get('x-troupe-translated')).toBeNull();
  expect(response.headers.get('x-troupe-ignored')).toContain('web_search_20250305');
});

it('the engine answers Codex, whole and streamed, and names what it left out', async () => {
  const { gateway, key } = behind;
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 });
  const body = {
    ...codexBody(TURNS.codex),
    ...LIMITS,
    max_output_tokens: 8,
  } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming;
  const { data, response } = await openai.responses.create(body).withResponse();
  const streamed = await openai.responses.stream({ ...body, stream: true } as never).finalResponse();
  expect(streamed.output_text).toBe(data.output_text);
  expect(streamed.usage?.output_tokens).toBe(data.usage?.output_tokens);
  expect(response.headers.get('x-troupe-translated')).toBeNull();
  expect(response.headers.get('x-troupe-ignored')).toContain('web_search');
});

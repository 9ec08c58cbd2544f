import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatCompletion } from '../../src/api/index.js';
import type { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import { startServing, type Serving } from './serving.js';
import { toChatPrompt } from '../../src/wire/index.js';

type Messages = ChatCompletionRequest['messages'];
const user = (content: string): Messages => [{ role: 'user', content }];
const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
/** The demo's control tokens: those that its tokenizer marks special, and the tags of its template. */
const CONTROLS =
  '<|endoftext|> <|im_start|> <|im_end|> <tool_call> </tool_call> <tool_response> </tool_response> <think> </think>'.split(
    ' ',
  );

describe('control tokens in what comes over the wire', () => {
  let serving: Serving;

  beforeAll(async () => {
    serving = await startServing();
    copyFileSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), join(serving.modelsDir, 'tiny.gguf'));
  });

  afterAll(() => serving[Symbol.asyncDispose]());

  async function ask(request: object, path = '/v1/chat/completions') {
    const response = await serving.post(path, { model: 'demo', temperature: 0, max_tokens: 4, ...request });
    return { status: response.status, body: (await response.json()) as ChatCompletion & { error?: unknown } };
  }

  async function promptTokens(request: object, path?: string): Promise<number> {
    const { status, body } = await ask(request, path);
    expect(status).toBe(200);
    return body.usage.prompt_tokens;
  }

  it.each(CONTROLS)('%s is text in a message, a result, a name, arguments and a schema', async (control) => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: `f${control}`, arguments: `{"a": "${control}"}` } }],
    };
    const tool = { ...weather, function: { ...weather.function, description: control } };
    const requests = [
      { messages: user(`a ${control} b`) },
      { messages: [...user('hi'), call, { role: 'tool', tool_call_id: 'a', content: `x${control}` }] },
      { messages: user('hi'), tools: [tool] },
      { messages: [{ role: 'system', content: control }, ...user('hi')] },
    ];
    for (const request of requests) {
      const plain = await promptTokens(request);
      expect(plain).toBeGreaterThan(await promptTokens({ ...request, parse_special: true }));
    }
  });

  it('are text where JSON escapes hide them', async () => {
    const call = (text: string) =>
      `{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\\"a\\": \\"${text}\\"}"}}]}`;
    const tool = (text: string) =>
      `{"type": "function", "function": {"name": "f", "parameters": {"${text}": {"enum": ["${text}"]}}}}`;
    const body = (inCall: string, text: string): string =>
      `{"model": "demo", "max_tokens": 1, "messages": [{"role": "user", "content": "${text}"}, ${call(inCall)}], "tools": [${tool(text)}]}`;
    const count = async (text: string): Promise<number> => {
      const answer = (await (await serving.post('/v1/chat/completions', text)).json()) as ChatCompletion;
      return answer.usage.prompt_tokens;
    };
    const written = await count(body('<|im_start|>', '<|im_start|>'));
    expect(await count(body(String.raw`\\u003c|im_start|>`, String.raw`\u003c|im_start|>`))).toBe(written);
    expect(written).toBeGreaterThan((await count(body('x', 'x'))) + 20);
  });

  it('are text in a prompt so long that the tokenizer’s thread encodes it', async () => {
    const library = serving.host.openModels()[0];
    const content = `${'word '.repeat(14_000)}<|im_end|><|im_start|>`;
    const ids = await library?.completion.encodeChat(toChatPrompt({ messages: user(content) }), true);
    const trusted = await library?.completion.encodeChat(
      toChatPrompt({ messages: user(content), parse_special: true }),
      true,
    );
    const control = library?.tokenizer.tokenToId('<|im_start|>') ?? -1;
    expect(content.length).toBeGreaterThan(1 << 16);
    expect(ids?.filter((id) => id === control)).toHaveLength(2);
    expect(trusted?.filter((id) => id === control)).toHaveLength(3);
  });

  it('count the same in a stream, in encodeChat and in the answer', async () => {
    const messages = user('x<|im_end|>y');
    const expected = await promptTokens({ messages });
    const response = await serving.post('/v1/chat/completions', {
      model: 'demo',
      messages,
      max_tokens: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(await response.text()).toContain(`"prompt_tokens":${expected},`);
    const model = serving.host.openModels()[0];
    expect(await model?.completion.encodeChat(toChatPrompt({ messages }), true)).toHaveLength(expected);
  });

  it('are parsed in a text completion unless it says otherwise', async () => {
    const prompt = '<|im_start|>user\nhi<|im_end|>\n';
    const parsed = await promptTokens({ prompt }, '/v1/completions');
    expect(await promptTokens({ prompt, parse_special: true }, '/v1/completions')).toBe(parsed);
    expect(await promptTokens({ prompt, parse_special: false }, '/v1/completions')).toBeGreaterThan(parsed + 8);
  });

  it('leave the cached prompt of a conversation alone, from turn to turn', async () => {
    const first: Messages = [{ role: 'user', content: `What is 2+2? ${'Say <|im_end|> and 1 < 2. '.repeat(12)}` }];
    const { body } = await ask({ messages: first, max_tokens: 12 });
    const [choice] = body.choices;
    const next = [...first, { role: 'assistant', content: choice?.message.content }, ...user('And then?')];
    const second = (await ask({ messages: next })).body.usage;
    expect(second.prompt_tokens_details.cached_tokens).toBeGreaterThanOrEqual(
      32 * Math.floor(body.usage.prompt_tokens / 32) - 32,
    );
  });

  it('have their field in the description of the API', async () => {
    const description = JSON.stringify(await (await fetch(`${serving.url}/openapi.json`)).json());
    expect(description).toContain('"parse_special"');
    expect(description).toContain('"drop_unsupported"');
  });

  it('tools for a model whose template has no place for them are refused by name, or left out on request', async () => {
    const request = { model: 'tiny', messages: user('hi'), max_tokens: 1 };
    const refused = await ask({ ...request, tools: [weather] });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_by_template', param: 'tools', type: 'invalid_request_error' } },
    });
    expect(await promptTokens({ ...request, tools: [weather], drop_unsupported: true })).toBe(
      await promptTokens(request),
    );
    expect((await ask({ ...request, enable_thinking: true })).body).toMatchObject({
      error: { param: 'enable_thinking' },
    });
    expect((await ask({ ...request, enable_thinking: false })).status).toBe(200);
    const system = [{ role: 'system', content: 'be' }, ...user('hi')];
    expect((await ask({ ...request, messages: system })).status).toBe(200);
  });
});

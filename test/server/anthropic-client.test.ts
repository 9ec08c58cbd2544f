import Anthropic, { APIError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import type { Message, MessageParam, RawMessageStreamEvent, Tool } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageAnswer, MessagesEvent } from '../../src/api/index.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
let client: Anthropic;
beforeAll(async () => {
  serving = await startServing();
  client = new Anthropic({ baseURL: serving.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => serving[Symbol.asyncDispose]());

const ask = (text: string): MessageParam[] => [{ role: 'user', content: text }];
const OSLO = ask('What is the capital of Norway?');
const fixed = { model: 'demo', max_tokens: 200, temperature: 0 } as const;
const tool: Tool = {
  name: 'get_weather',
  description: 'Get the current weather in a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

// What this server answers has the types of the SDK: a build that passes shows it.
const toSdkMessage = (message: MessageAnswer): Message => message;
const toSdkEvent = (event: MessagesEvent): RawMessageStreamEvent => event;

const textOf = ({ content }: Pick<Message, 'content'>): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe('the @anthropic-ai/sdk package', () => {
  it('answers', async () => {
    const asked = { ...fixed, messages: OSLO, system: 'Answer in capital letters.' };
    const { data: message, request_id: requestId } = await client.messages.create(asked).withResponse();
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model: 'demo', stop_reason: 'end_turn' });
    expect(textOf(message)).toBe('THE CAPITAL OF NORWAY IS OSLO.');
    expect(requestId).toMatch(/\w/);
    expect(message.id).toMatch(/^msg_/);
    expect([toSdkMessage, toSdkEvent].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('streams the same that it answers whole, with what it took', async () => {
    const whole = await client.messages.create({ ...fixed, messages: OSLO });
    const stream = client.messages.stream({ ...fixed, messages: OSLO });
    let text = '';
    stream.on('text', (piece) => (text += piece));
    const final = await stream.finalMessage();
    expect([text, textOf(final)]).toEqual([textOf(whole), textOf(whole)]);
    const tokensOf = ({ usage }: Message): (number | null)[] => [
      usage.output_tokens,
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    ];
    expect(tokensOf(final)).toEqual(tokensOf(whole));
    expect(final.stop_reason).toBe('end_turn');
  });

  it('counts the tokens that an answer will have read', async () => {
    const asked = {
      model: 'demo',
      messages: OSLO,
      tools: [tool],
      system: [{ type: 'text' as const, text: 'Be brief.' }],
    };
    const { input_tokens: counted } = await client.messages.countTokens(asked);
    const { usage } = await client.messages.create({ ...asked, max_tokens: 1 });
    expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(counted);
    expect((await client.messages.countTokens({ ...asked, tool_choice: { type: 'none' } })).input_tokens).toBeLessThan(
      counted,
    );
  });

  it.each(['whole', 'streamed'])('goes round a loop of tools, %s', async (how) => {
    const send = async (messages: MessageParam[]): Promise<Message> => {
      const request = { ...fixed, messages, tools: [tool] };
      return how === 'whole' ? client.messages.create(request) : client.messages.stream(request).finalMessage();
    };
    const messages = ask('Is it warm in Oslo?');
    const first = await send(messages);
    const [call] = first.content;
    if (call?.type !== 'tool_use') throw new Error('no call');
    expect([call.name, call.input, first.stop_reason]).toEqual(['get_weather', { city: 'Oslo' }, 'tool_use']);
    const content = '{"city": "Oslo", "temperature": 21, "sky": "sunny"}';
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content }] },
    );
    expect(textOf(await send(messages))).toMatch(/21|sunny|warm/i);
  });

  it('thinks within a budget, and takes its thinking back', async () => {
    const messages = ask('Please compute 59+14.');
    const thinking = { type: 'enabled', budget_tokens: 100 } as const;
    const message = await client.messages.create({ ...fixed, messages, thinking });
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: '9+4=13, 5+1+1=7. So 59+14=73.', signature: '' },
      { type: 'text', text: '73' },
    ]);
    const stream = client.messages.stream({ ...fixed, messages, thinking });
    expect((await stream.finalMessage()).content).toEqual(message.content);
    const off = await client.messages.create({ ...fixed, messages, thinking: { type: 'disabled' } });
    expect(off.content.map(({ type }) => type)).toEqual(['text']);
    const next = [...messages, { role: 'assistant' as const, content: message.content }, ...OSLO];
    expect(textOf(await client.messages.create({ ...fixed, messages: next }))).toContain('Oslo');
  });

  it.each(['whole', 'streamed'])('gets the call that it demands, with arguments of its schema, %s', async (how) => {
    const properties = { level: { enum: ['low', 'high'] }, on: { type: 'boolean' } };
    const required = ['level', 'on'];
    const light: Tool = {
      name: 'set_light',
      input_schema: { type: 'object', properties, required, additionalProperties: false },
    };
    for (const choice of [{ type: 'tool', name: 'set_light' } as const, { type: 'any' } as const]) {
      const tools = choice.type === 'any' ? [light] : [tool, light];
      const request = {
        ...fixed,
        messages: ask('hi'),
        tools,
        tool_choice: { ...choice, disable_parallel_tool_use: true },
      };
      const { content, stop_reason: reason } =
        how === 'whole' ? await client.messages.create(request) : await client.messages.stream(request).finalMessage();
      const [call] = content;
      if (content.length !== 1 || call?.type !== 'tool_use') throw new Error('one call');
      const { level, on } = call.input as { level: unknown; on: unknown };
      expect([call.name, reason, typeof on]).toEqual(['set_light', 'tool_use', 'boolean']);
      expect(['low', 'high']).toContain(level);
    }
  });

  it('gets an answer of the shape that it describes, or an error that names what of it cannot be enforced', async () => {
    const shape = (schema: Record<string, unknown>) => ({ format: { type: 'json_schema' as const, schema } });
    const asked = { ...fixed, messages: ask('Is it warm in Oslo?'), thinking: { type: 'disabled' as const } };
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const message = await client.messages.create({ ...asked, output_config: shape(schema) });
    expect(JSON.parse(textOf(message))).toEqual({ n: expect.any(Number) });
    const refused = client.messages.create({ ...asked, output_config: shape({ type: 'array', uniqueItems: true }) });
    await expect(refused).rejects.toThrow(/output_config\.format: the keyword uniqueItems/);
  });

  it('says which stop sequence ended it, and where its limit did', async () => {
    const stopped = await client.messages.create({ ...fixed, messages: OSLO, stop_sequences: ['no', 'Oslo'] });
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', 'Oslo']);
    expect(textOf(stopped)).toBe('The capital of Norway is ');
    const cut = await client.messages.create({ ...fixed, messages: ask('Tell me a story.'), max_tokens: 4 });
    expect([cut.stop_reason, cut.stop_sequence, cut.usage.output_tokens]).toEqual(['max_tokens', null, 4]);
  });

  it('throws errors of its types', async () => {
    const failed = client.messages.create({ ...fixed, model: 'nobody', messages: OSLO });
    await expect(failed).rejects.toThrow(NotFoundError);
    await expect(failed).rejects.toMatchObject({ type: 'not_found_error', requestID: expect.stringMatching(/\w/) });
    const budget = { type: 'enabled', budget_tokens: 200 } as const;
    await expect(client.messages.create({ ...fixed, messages: OSLO, thinking: budget })).rejects.toThrow(
      BadRequestError,
    );
  });

  it('throws what ends a stream that has begun, and passes over pings', async () => {
    await using closing = await startServing({}, { streams: { commitAfterMs: 0, keepAliveMs: 1 } });
    const own = new Anthropic({ baseURL: closing.url, apiKey: 'any', maxRetries: 0 });
    const stop = { stop_sequences: ['Oslo'] };
    expect(textOf(await own.messages.stream({ ...fixed, ...stop, messages: OSLO }).finalMessage())).not.toBe('');
    const endless = { ignore_eos: true };
    const stream = own.messages.stream({ ...fixed, ...endless, max_tokens: 1000, messages: OSLO });
    stream.once('text', () => void closing.server.drain(0));
    const failed = stream.finalMessage();
    await expect(failed).rejects.toThrow(APIError);
    await expect(failed).rejects.toMatchObject({ type: 'overloaded_error', status: undefined });
  });
});

import { withJsonSources } from '../../src/api/index.js';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createBodyReader, parsedBody } from '../../src/endpoint/index.js';
import { dialects, type WireDialect } from '../../src/wire/index.js';
import { createScript, createTestCompletion, say } from '../completion/script.js';
import { renderTemplate } from '../../src/chat/index.js';

const TOOLS =
  '[{"type":"function","function":{"name":"f","parameters":{"10":12345678901234567890,"2":[1e3,1.0,-0,"\\u00e9"]}}}]';
const PRINTED =
  '[{"type": "function", "function": {"name": "f", "parameters": {"10": 12345678901234567890, "2": [1e3, 1.0, -0, "é"]}}}]';
const ARGUMENTS = '{"id": 2512292042121000001, "10": 1, "2": 1e3}';
const CALL = JSON.stringify({ id: 'a', type: 'function', function: { name: 'f', arguments: ARGUMENTS } });
const OLD_CALL = `{"role":"assistant","function_call":{"name":"f","arguments":${JSON.stringify(ARGUMENTS)}}}`;
const MESSAGES = `[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[${CALL}]},${OLD_CALL}]`;
const KWARGS = '{"exact":{"3":1.0,"1":1e2},"level":1.50,"word":"a","enable_thinking":false}';
const TEMPLATE =
  '{{ tools | tojson }}|{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}|{% endfor %}{% endfor %}{{ exact | tojson }} {{ level }} {{ word }} {{ enable_thinking }}';

describe('the prompt of a request', () => {
  const reader = createBodyReader();
  const { schemas, sources } = dialects.chatCompletions;
  const chatBody = parsedBody(
    schemas.request,
    (value, texts) => withJsonSources(parseChatCompletionRequest(value), texts),
    { sources },
  );
  afterAll(() => reader[Symbol.asyncDispose]());

  it.each([
    ['a small body', ''],
    ['a body that is read on a thread', ' '.repeat(200_000)],
  ])('has tools, kwargs and arguments as they were written in %s', async (_, padding) => {
    const text = `{"model":"m","t\\u006fols":${TOOLS},"messages":${MESSAGES},"chat_template_kwargs":${KWARGS}}${padding}`;
    const signal = new AbortController().signal;
    const body = await reader.read(chatBody, { headers: new Map(), body: Buffer.from(text), signal });
    let prompt = '';
    const completion = createTestCompletion(createScript(say('ok')), {
      template: { render: (variables) => (prompt = renderTemplate(TEMPLATE, structuredClone(variables))) },
    });
    await completion.chat(body);
    const printed = `${PRINTED}|${ARGUMENTS}|${ARGUMENTS}|{"3": 1.0, "1": 1e2} 1.50 a False`;
    expect(prompt).toBe(printed);
    for await (const chunk of completion.stream({ ...body, stream: true })) expect(chunk.model).toBe('scripted');
    expect(prompt).toBe(printed);
    await completion.chat({ ...body, tool_choice: 'none' });
    expect(prompt.startsWith('null|')).toBe(true);
  });
});

describe('the calls of earlier turns', () => {
  const reader = createBodyReader();
  afterAll(() => reader[Symbol.asyncDispose]());
  const INPUT = '{"10":1,"2":{"7":0,"3":0},"__proto__":{"b":1},"1":[{"5":0,"4":0}]}';
  const ASKED = '{"role":"user","content":"x"}';
  const RESULT = '{"type":"tool_result","tool_use_id":"a","content":"ok"}';
  const OBJECT = `{"type":"tool_use","id":"a","name":"f","input":${INPUT}}`;
  const BODIES = {
    messages: `{"max_tokens":9,"messages":[${ASKED},{"role":"assistant","content":[${OBJECT}]},{"role":"user","content":[${RESULT}]}]}`,
    ollamaChat: `{"model":"m","messages":[${ASKED},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${INPUT}}}]}]}`,
    responses: `{"input":[${ASKED},{"type":"function_call","call_id":"a","name":"f","arguments":${JSON.stringify(INPUT)}}]}`,
  } as const;

  it.each(
    Object.entries(BODIES).flatMap(([name, text]) => [
      [name, text] as const,
      [name, `${text}${' '.repeat(200_000)}`] as const,
    ]),
  )('of %s show names in the order of the text', async (name, text) => {
    const dialect: WireDialect<object, object> = dialects[name as keyof typeof BODIES];
    const { schemas, sources } = dialect;
    const read = dialect.read.bind(dialect);
    const signal = new AbortController().signal;
    const asked = { headers: new Map(), body: Buffer.from(text), signal };
    const { completion: request } = await reader.read(parsedBody(schemas.request, read, { sources }), asked);
    const calls = request.kind === 'chat' ? request.messages.flatMap((message) => message.calls ?? []) : [];
    expect(calls.map(({ argumentsText }) => argumentsText)).toEqual([INPUT]);
  });
});

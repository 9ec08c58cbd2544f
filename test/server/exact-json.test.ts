import { afterAll, describe, expect, it } from 'vitest';
import { createBodyReader } from '../../src/server/body-reader.js';
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
  afterAll(() => reader[Symbol.asyncDispose]());

  it.each([
    ['a small body', ''],
    ['a body that is read on a thread', ' '.repeat(200_000)],
  ])('has tools, kwargs and arguments as they were written in %s', async (_, padding) => {
    const text = `{"model":"m","t\\u006fols":${TOOLS},"messages":${MESSAGES},"chat_template_kwargs":${KWARGS}}${padding}`;
    const signal = new AbortController().signal;
    const body = await reader.read('chatCompletions', { headers: new Map(), body: Buffer.from(text), signal });
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

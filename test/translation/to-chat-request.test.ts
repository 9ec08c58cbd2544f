import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../src/api/index.js';
import { memberSources } from '../../src/base/index.js';
import { toChatJson, toChatRequest, type TranslatedApi } from '../../src/translation/index.js';
import { claudeBody, codexBody, LONG_NAME } from '../gateway/serving/agent-bodies.js';

type Json = Readonly<Record<string, unknown>>;

/** The request that a body becomes, as its JSON and as a value. */
function translate(
  api: TranslatedApi,
  body: object,
): { json: string; chat: Record<string, Json[] & Json>; ignored: readonly string[] } {
  const text = JSON.stringify(body);
  const sources = Object.fromEntries(memberSources(text));
  const { members, ignored } = toChatRequest(api, JSON.parse(text), sources);
  const json = toChatJson(members, { model: 'up' });
  return { json, chat: JSON.parse(json) as Record<string, Json[] & Json>, ignored };
}

const hi = [{ role: 'user', content: 'Hi' }];

describe('a request of responses', () => {
  it('of Codex is one of chat completions with its whole conversation', () => {
    const { chat, ignored, json } = translate('responses', codexBody(2));
    expect(chat['messages']).toEqual([
      { role: 'system', content: 'You are an agent.\n\nWork in /tmp.' },
      { role: 'user', content: '<environment_context/>\n\nFix it.' },
      {
        role: 'assistant',
        content: 'step 0',
        reasoning_content: 'think 0',
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'shell', arguments: '{"command":["ls"]}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: 'a.txt' },
      {
        role: 'assistant',
        content: 'step 1',
        reasoning_content: 'think 1',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'apply_patch', arguments: '{"input":"*** Begin Patch\\n"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Done' },
      { role: 'user', content: 'Go on.' },
    ]);
    expect(chat['tools']?.map((tool) => (tool['function'] as Json)['name'])).toEqual([
      'shell',
      LONG_NAME,
      'apply_patch',
      'look',
    ]);
    expect(JSON.stringify(chat['tools']?.[2])).toContain('start: /.+/s');
    expect(ignored).toEqual(['web_search', 'local_shell', 'web_search_call']);
    expect(chat).toMatchObject({
      model: 'up',
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning_effort: 'medium',
    });
    expect(Object.keys(chat)).not.toContain('store');
    // The schema keeps the order in which its client wrote it.
    expect(json.indexOf('"10":{"type":"integer"}')).toBeGreaterThan(0);
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }, 'unsupported_parameter'],
    ['conversation', { conversation: 'conv_1' }, 'unsupported_parameter'],
    ['an item that is kept', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'unsupported_value'],
    ['no input', { input: undefined }, 'missing_required_parameter'],
    ['an input of another type', { input: 7 }, 'invalid_type'],
  ])('with %s is refused by a code', (_, parts, code) => {
    expect(() => translate('responses', { input: 'Hi', ...parts })).toThrow(expect.objectContaining({ code }));
  });

  it('has its format, its limit, its choice of a tool, and fields of local servers', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const { chat } = translate('responses', {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' },
          ],
        },
      ],
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
      max_output_tokens: 7,
      min_p: 0.1,
      stop: ['x'],
      tools: [
        { type: 'function', name: 'f', parameters: schema },
        { type: 'function', name: 'g' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] },
    });
    expect(chat).toEqual({
      model: 'up',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
          ],
        },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
      max_tokens: 7,
      min_p: 0.1,
      stop: ['x'],
      tools: [{ type: 'function', function: { name: 'g' } }],
      tool_choice: 'required',
    });
  });

  it('with groups of tools knows each by its group', () => {
    const group = (name: string) => ({ type: 'namespace', name, tools: [{ type: 'function', name: 'look' }] });
    const call = { type: 'function_call', call_id: 'c', name: 'look', namespace: 'b', arguments: '{}' };
    const { members, responses } = toChatRequest('responses', { input: [call], tools: [group('a'), group('b')] }, {});
    expect(members.get('tools')).toContain('"name":"b__look"');
    expect(members.get('messages')).toContain('"name":"b__look"');
    expect(responses?.callForms?.get('b__look')).toEqual({ kind: 'function', name: 'look', namespace: 'b' });
    expect(responses?.callForms?.get('look')).toEqual({ kind: 'function', name: 'look', namespace: 'a' });
  });

  it('whose only tools are of OpenAI has none, and no choice among them', () => {
    const { chat, ignored } = translate('responses', {
      input: 'Hi',
      tools: [{ type: 'web_search' }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    });
    expect(chat).toEqual({ model: 'up', messages: hi });
    expect(ignored).toEqual(['web_search']);
  });

  it('names nothing of its client in what was left out', () => {
    const { ignored } = translate('responses', { input: 'Hi', tools: [{ type: 'my secret' }] });
    expect(ignored).toEqual(['other']);
  });
});

describe('a request of messages', () => {
  it('of Claude Code is one of chat completions with its whole conversation', () => {
    const { chat, ignored } = translate('messages', claudeBody(1));
    expect(chat['messages']).toEqual([
      { role: 'system', content: 'You are Claude Code.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in this image?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        content: 'step 0',
        reasoning_content: 'think 0',
        tool_calls: [
          { id: 'toolu_0a', type: 'function', function: { name: 'Read', arguments: expect.any(String) as string } },
          { id: 'toolu_0b', type: 'function', function: { name: LONG_NAME, arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_0a', content: 'text of a' },
      { role: 'tool', tool_call_id: 'toolu_0b', content: 'free' },
      { role: 'user', content: '<system-reminder>Be quick.</system-reminder>' },
    ]);
    expect(chat).toMatchObject({ max_tokens: 32_000 });
    expect(Object.keys(chat)).not.toContain('chat_template_kwargs');
    expect(chat['tools']).toHaveLength(2);
    expect(ignored).toEqual(['web_search_20250305', 'context_management']);
    expect(Object.keys(chat)).not.toContain('metadata');
  });

  it.each([
    [{ thinking: { type: 'disabled' } }, { enable_thinking: false }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, { reasoning_effort: 'low' }],
    [
      { thinking: { type: 'disabled' }, chat_template_kwargs: { a: 1 } },
      { enable_thinking: false, a: 1 },
    ],
  ])('tells %j by the variables of the template', (parts, variables) => {
    const { chat } = translate('messages', { max_tokens: 1, messages: hi, ...parts });
    expect(chat['chat_template_kwargs']).toEqual(variables);
  });

  it('keeps arguments and schemas as their client wrote them', () => {
    const text = `{"max_tokens":1,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"b":12345678901234567890, "10":1,"2":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}],"tools":[{"name":"f","input_schema":{"properties":{"10":{},"2":{}}}}]}`;
    const { members } = toChatRequest('messages', JSON.parse(text), Object.fromEntries(memberSources(text)));
    const json = toChatJson(members, {});
    expect(json).toContain('{"properties":{"10":{},"2":{}}}');
    expect(json).toContain(JSON.stringify('{"b":12345678901234567890, "10":1,"2":2}'));
  });

  it.each([
    ['messages', '"max_tokens":1,"messages":[],"output_config":{"format":{"type":"json_schema","schema":SCHEMA}}'],
    ['messages', '"max_tokens":1,"messages":[],"guided_json":SCHEMA'],
    ['responses', '"input":"x","text":{"format":{"type":"json_schema","name":"n","schema":SCHEMA}}'],
    ['responses', '"input":"x","tools":[{"type":"function","name":"f","parameters":SCHEMA}]'],
    [
      'responses',
      '"input":"x","tools":[{"type":"namespace","name":"g","tools":[{"type":"function","name":"f","parameters":SCHEMA}]}]',
    ],
  ] as const)('keeps the order of names in a format or a tool of %s: %s', (api, fields) => {
    const schema = '{"properties":{"10":{},"2":{},"__proto__":{"7":1,"3":0}}}';
    const text = `{${fields.replace('SCHEMA', schema)}}`;
    const body = parseJsonBody(Buffer.from(text));
    const { members } = toChatRequest(api, body, Object.fromEntries(memberSources(text)));
    expect(toChatJson(members, {})).toContain(schema);
  });

  it('tells the turns of a system that come late as turns of the user, and joins neighbours', () => {
    const { chat } = translate('messages', {
      max_tokens: 1,
      system: 'A',
      messages: [
        { role: 'system', content: 'B' },
        { role: 'user', content: 'C' },
        { role: 'system', content: 'D' },
        { role: 'user', content: 'E' },
      ],
    });
    expect(chat['messages']).toEqual([
      { role: 'system', content: 'A\n\nB' },
      { role: 'user', content: 'C\n\nD\n\nE' },
    ]);
  });

  it.each([
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'tool', name: 'f' }, { tool_choice: { type: 'function', function: { name: 'f' } } }],
  ])('says of %j in the words of chat completions', (choice, said) => {
    const { chat } = translate('messages', {
      max_tokens: 1,
      messages: hi,
      tool_choice: choice,
      tools: [{ name: 'f', input_schema: {} }],
    });
    expect(chat).toMatchObject(said);
  });

  it.each([
    ['no limit', { max_tokens: undefined }, 'missing_required_parameter'],
    ['no messages', { messages: undefined }, 'missing_required_parameter'],
    ['a role that is none', { messages: [{ role: 'tool', content: 'x' }] }, 'invalid_value'],
    [
      'a block of text without text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'missing_required_parameter',
    ],
  ])('with %s is refused by a code', (_, parts, code) => {
    expect(() => translate('messages', { max_tokens: 1, messages: hi, ...parts })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { countedHead } from './golden-events.js';
import { isAppError } from '../../src/base/index.js';
import { messageText, type ChatRequest, type Message } from '../../src/completion/index.js';
import { dialects, parseMessagesCountRequest, toMessagesPrompt, type WireDialect } from '../../src/wire/index.js';

// What bodies that are no lists of turns become, and what errors call their parts.
function requestOf(name: 'responses' | 'messages', body: object, sources: Record<string, string> = {}): ChatRequest {
  const dialect: WireDialect<object, object> = dialects[name];
  const { completion } = dialect.read(body, sources);
  if (completion.kind !== 'chat') throw new Error('a conversation');
  return completion;
}

/** Turns without what they do not have. */
function turnsOf({ messages }: Pick<ChatRequest, 'messages'>): object[] {
  return messages.map(
    ({ calls = [], content, ...message }: Message) =>
      JSON.parse(
        JSON.stringify({ ...message, text: messageText({ content }), ...(calls.length > 0 && { calls }) }),
      ) as object,
  );
}

describe('the input of responses', () => {
  const turns = (body: object): object[] => turnsOf(requestOf('responses', { model: 'm', ...body }));
  const call = (id: string): object => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
  const called = (id: string): object => ({ id, name: 'f', argumentsText: '{}' });

  it('is a turn of the user, with the instructions before it', () => {
    expect(turns({ input: 'hi', instructions: 'be' })).toEqual([
      { role: 'system', text: 'be' },
      { role: 'user', text: 'hi' },
    ]);
  });

  it('has parts that are joined, and developers that are the system', () => {
    const content = [
      { type: 'input_text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const refusal = [{ type: 'refusal', refusal: 'no' }];
    expect(
      turns({
        input: [
          { role: 'developer', content },
          { type: 'message', role: 'user', content: '' },
          { type: 'message', role: 'assistant', status: 'completed', id: 'msg_1', content: refusal },
        ],
      }),
    ).toEqual([
      { role: 'system', text: 'ab' },
      { role: 'user', text: '' },
      { role: 'assistant', text: 'no' },
    ]);
  });

  it('has calls that belong to the turn before them, and outputs that are turns', () => {
    const output = { type: 'function_call_output', call_id: 'a', output: 'r' };
    expect(
      turns({ input: [{ role: 'assistant', content: 'I look.' }, call('a'), call('b'), output, call('c')] }),
    ).toEqual([
      { role: 'assistant', text: 'I look.', calls: [called('a'), called('b')] },
      { role: 'tool', text: 'r', callId: 'a' },
      { role: 'assistant', text: '', calls: [called('c')] },
    ]);
  });

  it('has calls of their own after the turn of a user', () => {
    expect(turns({ input: [{ role: 'user', content: 'hi' }, call('a')] })).toEqual([
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: '', calls: [called('a')] },
    ]);
  });

  it('has reasoning that belongs to what follows it, as it was written before its summary', () => {
    const written = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }] };
    const content = [{ type: 'reasoning_text', text: 'why' }];
    expect(
      turns({
        input: [
          { ...written, content },
          call('a'),
          { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'r' }] },
          { ...written, content: null, encrypted_content: null },
          { role: 'assistant', content: 'so' },
          written,
          { role: 'user', content: 'hi' },
        ],
      }),
    ).toEqual([
      { role: 'assistant', text: '', reasoning: 'why', calls: [called('a')] },
      { role: 'tool', text: 'r', callId: 'a' },
      { role: 'assistant', text: 'so', reasoning: 's' },
      { role: 'user', text: 'hi' },
    ]);
  });

  it('has reasoning that a client has only sealed, and none of another server', () => {
    const sealed = (text: string): object => ({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: text });
    const reasoning = 'Grüße';
    const own = `plain.${Buffer.from(reasoning).toString('base64')}`;
    expect(turns({ input: [sealed(own), call('a'), sealed('gAAAAABo'), call('b')] })).toEqual([
      { role: 'assistant', text: '', reasoning, calls: [called('a')] },
      { role: 'assistant', text: '', calls: [called('b')] },
    ]);
  });

  it('is called by its places in errors', () => {
    const { fields } = requestOf('responses', {
      instructions: 'be',
      input: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'I look.' }, call('a')],
      reasoning: { effort: 'low' },
    });
    expect([0, 1, 2].map((index) => fields.message(index))).toEqual(['instructions', 'input[0]', 'input[1]']);
    expect([fields.calls(2), fields.messages, fields.format]).toEqual(['input[2]', 'input', 'text.format']);
    expect([fields.toolSchema(1), fields.thinking]).toEqual(['tools[1].parameters', 'reasoning']);
  });
});

describe('what responses ask for', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'g', description: 'd', parameters: { type: 'object' }, strict: true },
  ];
  const ask = (body: object): ChatRequest => requestOf('responses', { model: 'm', input: 'hi', tools, ...body });

  it.each([
    [{}, undefined],
    [{ tool_choice: 'auto' }, undefined],
    [{ tool_choice: 'required' }, { isRequired: true }],
    [{ tool_choice: { type: 'function', name: 'g' } }, { isRequired: true, names: ['g'] }],
    [
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] } },
      { isRequired: false, names: ['f'] },
    ],
  ])('of tools, as %j', (body, choice) => {
    expect(ask(body).toolChoice).toEqual(choice);
    expect(ask(body).tools).toHaveLength(2);
  });

  it('no tool is shown where none may be called', () => {
    expect(ask({ tool_choice: 'none' })).toMatchObject({ tools: [], toolChoice: undefined });
  });

  it.each([
    [{ text: { format: { type: 'text' } } }, undefined],
    [{ text: { format: null, verbosity: 'low' } }, undefined],
    [{ text: { format: { type: 'json_object' } } }, { kind: 'json' }],
    [
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } },
      { kind: 'jsonSchema', schema: { type: 'object' }, isStrict: true },
    ],
    [
      { text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: false } } },
      { kind: 'jsonSchema', schema: {}, isStrict: false },
    ],
    [{ grammar: 'root ::= "a"' }, { kind: 'gbnf', text: 'root ::= "a"' }],
  ])('of the text, as %j', (body, format) => {
    expect(ask(body).format).toEqual(format);
  });

  it('of tools the text too, in the shape that templates know', () => {
    const text =
      '[{"strict":true,"type":"function","name":"g","description":null,"parameters":{"10":1.0,"2":[{"a":"}]"}]}} , {"type":"function","name":"f"}]';
    expect(requestOf('responses', { input: 'hi', tools }, { tools: text }).toolsSource).toBe(
      '[{"type": "function", "function": {"name": "g", "parameters": {"10":1.0,"2":[{"a":"}]"}]}}}, {"type": "function", "function": {"name": "f"}}]',
    );
    expect(ask({}).tools).toEqual([
      { type: 'function', function: { name: 'f' } },
      { type: 'function', function: { name: 'g', description: 'd', parameters: { type: 'object' }, strict: true } },
    ]);
  });

  it('of limits, one call, and logprobs', () => {
    const asked = ask({ max_output_tokens: 7, parallel_tool_calls: false, top_logprobs: 2, stop: 'x' });
    expect(asked).toMatchObject({ maxTokens: 7, endsWithFirstCall: true, logprobs: 2, stops: ['x'], n: 1 });
    expect(ask({ include: ['message.output_text.logprobs'] }).logprobs).toBe(0);
    expect(ask({ include: ['reasoning.encrypted_content'], max_output_tokens: -1 })).toMatchObject({
      logprobs: undefined,
      maxTokens: undefined,
    });
  });
});

describe('a conversation', () => {
  const block = { type: 'tool_result', tool_use_id: 'a' };
  const result = { role: 'user', content: Array.from({ length: 1024 }, () => block) };
  const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const calls = { role: 'assistant', content: Array.from({ length: 513 }, () => call) };

  it.each([
    ['4096 turns', Array.from({ length: 5 }, () => result), 'messages[4].content[0]'],
    ['512 calls of one turn', [calls, result], 'messages[0].content[512]'],
  ])('has at most %s', (limit, messages, param) => {
    const message = `${param} is one too many: a conversation has at most ${limit}`;
    expect(() => requestOf('messages', { max_tokens: 1, messages })).toThrow(message);
  });
});

describe('a message with a call', () => {
  it('has the arguments as the model wrote them', () => {
    const { messages: dialect } = dialects;
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const writer = dialect.toWhole(dialect.read(body), countedHead('msg_'));
    const end = { finishReason: 'toolCalls' as const, cachedTokens: 0, completionTokens: 3, reasoningTokens: 0 };
    const argumentsText = '{"10": 1.0, "2": 12345678901234567890}';
    writer.add({ type: 'begin', echoes: [''], promptTokens: 1, unenforced: [] });
    writer.add({ type: 'choice', index: 0, deltas: [{ type: 'toolCall', index: 0, name: 'f', argumentsText }], end });
    const usage = { promptTokens: 1, completionTokens: 3, cachedTokens: 0, reasoningTokens: 0 };
    writer.add({ type: 'end', usage });
    expect(dialect.toJson?.(writer.finish())).toContain('"input":{"10":1.0,"2":12345678901234567890}');
  });
});

describe('the turns of messages', () => {
  const body = { model: 'm', max_tokens: 9 };
  const turns = (more: object): object[] => turnsOf(requestOf('messages', { ...body, ...more }));
  const text = (value: string): object => ({ type: 'text', text: value, cache_control: { type: 'ephemeral' } });

  it('have the system before them, and blocks that are paragraphs', () => {
    const user = { role: 'user', content: [text('a'), text('b')] };
    expect(turns({ system: [text('be'), text('brief')], messages: [user] })).toEqual([
      { role: 'system', text: 'be\nbrief' },
      { role: 'user', text: 'a\nb' },
    ]);
    expect(turns({ system: '', messages: [{ role: 'user', content: [] }] })).toEqual([{ role: 'user', text: '' }]);
  });

  it('have results of tools as turns of their own, in the order of the blocks', () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'why', signature: '' },
          { type: 'redacted_thinking', data: 'x' },
          text('I '),
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          text('look.'),
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [text('r'), text('s')] },
          { type: 'tool_result', tool_use_id: 'b', is_error: true },
          text('and?'),
        ],
      },
    ];
    expect(turns({ messages })).toEqual([
      {
        role: 'assistant',
        text: 'I look.',
        reasoning: 'why',
        calls: [
          { id: 'a', name: 'f', argumentsText: '{"x":1}' },
          { id: 'b', name: 'g', argumentsText: '{}' },
        ],
      },
      { role: 'tool', text: 'r\ns', callId: 'a' },
      { role: 'tool', text: '', callId: 'b' },
      { role: 'user', text: 'and?' },
    ]);
    const { fields } = requestOf('messages', { ...body, system: 'be', messages });
    const names = [fields.message(0), fields.message(1), fields.message(2), fields.calls(1)];
    expect(names).toEqual(['system', 'messages[0]', 'messages[1].content[0]', 'messages[0].content[3]']);
    expect(fields.toolSchema(0)).toBe('tools[0].input_schema');
  });

  it.each([
    [undefined, {}],
    [{ type: 'disabled' }, { enabled: false }],
    [
      { type: 'enabled', budget_tokens: 5 },
      { enabled: true, budgetTokens: 5 },
    ],
    [
      { type: 'enabled', budget_tokens: 5, display: 'omitted' },
      { enabled: true, budgetTokens: 5, isHidden: true },
    ],
    [{ type: 'adaptive' }, { budgetShare: 0.2 }],
    [{ type: 'enabled' }, { enabled: true, budgetShare: 0.2 }],
  ])('think as %j asks, with a low effort', (thinking, expected) => {
    const messages = [{ role: 'user', content: 'hi' }];
    const asked = { ...body, messages, output_config: { effort: 'low' }, ...(thinking && { thinking }) };
    expect(requestOf('messages', asked).thinking).toEqual({ isHidden: false, ...expected });
  });

  it.each([
    [{ type: 'auto' }, undefined, false],
    [{ type: 'auto', disable_parallel_tool_use: true }, undefined, true],
    [{ type: 'any' }, { isRequired: true }, false],
    [{ type: 'tool', name: 'f', disable_parallel_tool_use: true }, { isRequired: true, names: ['f'] }, true],
  ])('call tools as %j asks', (choice, toolChoice, endsWithFirstCall) => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, type: 'custom' }];
    const messages = [{ role: 'user', content: 'hi' }];
    expect(requestOf('messages', { ...body, messages, tools, tool_choice: choice })).toMatchObject({
      toolChoice,
      endsWithFirstCall,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    });
  });

  it('are of a shape where one is asked for', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const messages = [{ role: 'user', content: 'hi' }];
    expect(requestOf('messages', { ...body, messages, output_config: { format } }).format).toEqual({
      kind: 'jsonSchema',
      schema: { type: 'object' },
      isStrict: true,
    });
  });

  it('are counted with tools as they were written, and without a limit', () => {
    const tools = '[{"name":"f","input_schema":{"maximum":1.0}}]';
    const messages = [{ role: 'user', content: 'hi' }];
    const counted = parseMessagesCountRequest({ messages, tools: JSON.parse(tools) as unknown }, { tools });
    expect(toMessagesPrompt(counted).toolsSource).toBe(
      '[{"type": "function", "function": {"name": "f", "parameters": {"maximum":1.0}}}]',
    );
    const wrong = { messages, tools: [], tool_choice: { type: 'tool', name: 'f' } };
    expect(() => parseMessagesCountRequest(wrong, {})).toThrow(
      expect.toSatisfy((error: unknown) => isAppError(error) && error.code === 'invalid_value'),
    );
  });
});

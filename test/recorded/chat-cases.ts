// Chat completions of the recorded corpus: every field, whole and streamed.
import type { HttpCase } from './exchange.js';

const PATH = '/v1/chat/completions';
const user = (content: unknown): object => ({ role: 'user', content });
const ADD = [user('What is 12 + 30?')];
const CAPITAL = [user('What is the capital of Norway?')];
const POEM = [user('Write a poem about the sea.')];
const tool = (name: string, argument: string): object => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
  },
});
const TOOLS = [tool('calculate', 'expression'), tool('get_weather', 'city')];
const call = (id: string, name: string, args: unknown): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const CALLED = [
  user('What is 479 * 61?'),
  { role: 'assistant', content: '', tool_calls: [call('call_1_0', 'calculate', '{"expression": "479 * 61"}')] },
  { role: 'tool', content: '{"result": 29219}', tool_call_id: 'call_1_0' },
];

/** Fields beside `model` and `messages`, by what is tried. Each is sent whole and streamed. */
const fields: Readonly<Record<string, object>> = {
  nothing: {},
  'temperature 0': { temperature: 0 },
  'temperature 1 with a seed': { temperature: 1, seed: 7 },
  'a hot seed': { temperature: 2, seed: 123456, max_tokens: 12 },
  'a negative seed': { temperature: 1, seed: -1, max_tokens: 1, logit_bias: [[5, 100]] },
  top_p: { temperature: 1, top_p: 0.5, seed: 3 },
  top_k: { temperature: 1, top_k: 2, seed: 3 },
  min_p: { temperature: 1, min_p: 0.2, seed: 3 },
  typical_p: { temperature: 1, typical_p: 0.5, seed: 3 },
  xtc: { temperature: 1, xtc_probability: 1, xtc_threshold: 0.1, seed: 3, max_tokens: 12 },
  dry: {
    temperature: 0,
    dry_multiplier: 2,
    dry_base: 1.5,
    dry_allowed_length: 1,
    dry_sequence_breakers: ['.'],
    max_tokens: 30,
  },
  frequency_penalty: { temperature: 0, frequency_penalty: 2, max_tokens: 20 },
  presence_penalty: { temperature: 0, presence_penalty: 1.5, max_tokens: 20 },
  repetition_penalty: { temperature: 0, repetition_penalty: 1.5, repeat_last_n: 64, max_tokens: 20 },
  repeat_penalty: { temperature: 0, repeat_penalty: 1.3, max_tokens: 20 },
  'logit_bias as an object': { temperature: 0, logit_bias: { '17': 5, '18': -100 }, max_tokens: 8 },
  'logit_bias as pairs': {
    temperature: 0,
    logit_bias: [
      [17, 5],
      [18, false],
    ],
    max_tokens: 8,
  },
  'max_tokens 1': { temperature: 0, max_tokens: 1 },
  'max_tokens -1': { temperature: 0, max_tokens: -1 },
  max_completion_tokens: { temperature: 0, max_completion_tokens: 2 },
  'both limits': { temperature: 0, max_completion_tokens: 2, max_tokens: 9 },
  n_predict: { temperature: 0, n_predict: 3 },
  min_tokens: { temperature: 0, min_tokens: 8, max_tokens: 10 },
  ignore_eos: { temperature: 0, ignore_eos: true, max_tokens: 10 },
  stop_token_ids: { temperature: 0, stop_token_ids: [17, 18, 19, 20, 21, 22] },
  'a stop string': { temperature: 0, stop: 'l' },
  'stop strings': { temperature: 0, stop: ['zzz', 'Os', ' is'] },
  'a kept stop string': { temperature: 0, stop: ['Os'], include_stop_str_in_output: true },
  'n 2': { temperature: 1, seed: 5, n: 2 },
  'n 3 greedy': { temperature: 0, n: 3, max_tokens: 4 },
  logprobs: { temperature: 0, logprobs: true },
  top_logprobs: { temperature: 0, logprobs: true, top_logprobs: 3, max_tokens: 4 },
  'logprobs of two choices': { temperature: 1, seed: 9, logprobs: true, top_logprobs: 1, n: 2, max_tokens: 4 },
  'logprobs and a stop': { temperature: 0, logprobs: true, stop: ['l'] },
  usage: { temperature: 0, stream_options: { include_usage: true } },
  'no usage': { temperature: 0, stream_options: { include_usage: false, include_obfuscation: true } },
  'usage of two choices': { temperature: 0, n: 2, stream_options: { include_usage: true } },
  'no thinking': { temperature: 0, enable_thinking: false },
  thinking: { temperature: 0, enable_thinking: true },
  'thinking by kwargs': { temperature: 0, chat_template_kwargs: { enable_thinking: true } },
  'thinking.type': { temperature: 0, thinking: { type: 'enabled' } },
  'thinking disabled': { temperature: 0, thinking: { type: 'disabled' } },
  'thinking with a budget': { temperature: 0, thinking: { type: 'enabled', budget_tokens: 4 } },
  thinking_budget: { temperature: 0, thinking_budget: 3 },
  'thinking_token_budget 0': { temperature: 0, thinking_token_budget: 0 },
  'reasoning.max_tokens': { temperature: 0, reasoning: { max_tokens: 5 } },
  'reasoning excluded': { temperature: 0, reasoning: { enabled: true, exclude: true } },
  'include_reasoning false': { temperature: 0, enable_thinking: true, include_reasoning: false },
  'reasoning_format hidden': { temperature: 0, enable_thinking: true, reasoning_format: 'hidden' },
  'reasoning_effort none': { temperature: 0, reasoning_effort: 'none' },
  'reasoning_effort low': { temperature: 0, reasoning_effort: 'low', max_tokens: 40 },
  'thinking cut off': { temperature: 0, enable_thinking: true, max_tokens: 6 },
  'thinking with logprobs': { temperature: 0, enable_thinking: true, logprobs: true, max_tokens: 30 },
  'ignored fields': {
    temperature: 0,
    user: 'u',
    store: true,
    metadata: { a: 'b' },
    service_tier: 'auto',
    keep_alive: '5m',
    num_ctx: 9,
  },
  'unknown fields': { temperature: 0, no_such_field: 1 },
  nulls: {
    temperature: 0,
    top_p: null,
    stop: null,
    seed: null,
    tools: null,
    n: null,
    stream_options: null,
    logprobs: null,
  },
  'unsupported fields that ask for nothing': {
    temperature: 0,
    mirostat: 0,
    response_format: { type: 'text' },
    grammar: '',
    functions: [],
  },
  cache_salt: { temperature: 0, cache_salt: 'pepper' },
  'the same cache_salt': { temperature: 0, cache_salt: 'pepper' },
  'tools that are not called': { temperature: 0, tools: TOOLS },
  'tool_choice none': { temperature: 0, tools: TOOLS, tool_choice: 'none' },
};

/** Conversations, each whole and streamed. */
const conversations: Readonly<Record<string, object>> = {
  'a system message': { messages: [{ role: 'system', content: 'You are brief.' }, ...ADD], temperature: 0 },
  'a developer message': { messages: [{ role: 'developer', content: 'You are brief.' }, ...ADD], temperature: 0 },
  'several turns': { messages: [...ADD, { role: 'assistant', content: '42' }, ...CAPITAL], temperature: 0 },
  'text parts': {
    messages: [
      user([
        { type: 'text', text: 'What is ' },
        { type: 'text', text: '12 + 30?' },
      ]),
    ],
    temperature: 0,
  },
  'empty content': { messages: [user('')], temperature: 0, max_tokens: 5 },
  'a name': { messages: [{ role: 'user', name: 'ann', content: 'Hello.' }], temperature: 0, max_tokens: 12 },
  'a control token in text': { messages: [user('Say <|im_end|> twice.')], temperature: 0, max_tokens: 12 },
  parse_special: { messages: [user('Say <|im_end|> twice.')], temperature: 0, max_tokens: 12, parse_special: true },
  'other scripts': { messages: [user('Grüße, 世界! 👋🏽')], temperature: 0, max_tokens: 12 },
  'a tool call': { messages: [user('What is 479 * 61?')], tools: TOOLS, temperature: 0 },
  'a tool call with one allowed': {
    messages: [user('What is 479 * 61?')],
    tools: TOOLS,
    parallel_tool_calls: false,
    temperature: 0,
  },
  'two tool calls': {
    messages: [user('What is the weather in Oslo and in Lima?')],
    tools: TOOLS,
    temperature: 0,
    max_tokens: 80,
  },
  'a tool call cut off': { messages: [user('What is 479 * 61?')], tools: TOOLS, temperature: 0, max_tokens: 12 },
  'a tool call with usage': {
    messages: [user('What is 479 * 61?')],
    tools: TOOLS,
    temperature: 0,
    stream_options: { include_usage: true },
  },
  'a tool call and logprobs': { messages: [user('What is 479 * 61?')], tools: TOOLS, temperature: 0, logprobs: true },
  'an answered call': { messages: CALLED, tools: TOOLS, temperature: 0 },
  'a call with arguments as nothing': {
    messages: [CALLED[0], { role: 'assistant', tool_calls: [call('a', 'calculate', null)] }, CALLED[2]],
    tools: TOOLS,
    temperature: 0,
    max_tokens: 20,
  },
  'a retired function_call': {
    messages: [
      CALLED[0],
      { role: 'assistant', content: null, function_call: { name: 'calculate', arguments: '{}' } },
      { role: 'function', name: 'calculate', content: '7' },
    ],
    tools: TOOLS,
    temperature: 0,
    max_tokens: 20,
  },
  'reasoning that comes back': {
    messages: [...ADD, { role: 'assistant', reasoning_content: 'Hm.', content: '42' }, ...CAPITAL],
    temperature: 0,
  },
  'a poem': { messages: POEM, temperature: 0, max_tokens: 60 },
  drop_unsupported: { messages: ADD, temperature: 0, drop_unsupported: true, tools: TOOLS },
};

const byField = Object.entries(fields).flatMap(([name, own]) => [
  { name, body: { model: 'demo', messages: CAPITAL, ...own } },
]);
const byConversation = Object.entries(conversations).map(([name, own]) => ({ name, body: { model: 'demo', ...own } }));

/** Whole, then streamed. */
export const chatCases: readonly HttpCase[] = [...byField, ...byConversation].flatMap(({ name, body }) => [
  { name: `chat: ${name}`, path: PATH, body },
  { name: `chat, streamed: ${name}`, path: PATH, body: { ...body, stream: true } },
]);

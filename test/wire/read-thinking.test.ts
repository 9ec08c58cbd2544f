import { describe, expect, it } from 'vitest';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import type { Thinking } from '../../src/completion/index.js';
import { readThinking } from '../../src/wire/parsing/read-thinking.js';

function read(fields: Record<string, unknown>): Partial<Thinking> {
  const { isHidden, ...rest } = readThinking(
    parseChatCompletionRequest({ messages: [{ role: 'user', content: 'x' }], ...fields }),
  );
  return isHidden ? { ...rest, isHidden } : rest;
}

function refusal(fields: Record<string, unknown>): unknown {
  try {
    return read(fields);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('thinking', () => {
  it.each<[string, Record<string, unknown>, Partial<Thinking>]>([
    ['nothing', {}, {}],
    ['Seed and Anthropic', { thinking: { type: 'enabled', budget_tokens: 64 } }, { enabled: true, budgetTokens: 64 }],
    ['Seed without a budget', { thinking: { type: 'enabled' } }, { enabled: true }],
    ['Seed, off', { thinking: { type: 'disabled' } }, { enabled: false }],
    ['Anthropic, adaptive', { thinking: { type: 'adaptive' } }, {}],
    ['Qwen', { enable_thinking: true, thinking_budget: 32 }, { enabled: true, budgetTokens: 32 }],
    ['Qwen, off', { enable_thinking: false }, { enabled: false }],
    ['vLLM', { chat_template_kwargs: { enable_thinking: false } }, { enabled: false }],
    ['vLLM with a budget', { thinking_token_budget: 7 }, { enabled: true, budgetTokens: 7 }],
    ['a budget of none', { thinking_budget: 0 }, { enabled: false }],
    ['a budget without limit', { thinking_budget: -1 }, {}],
    ['OpenAI', { reasoning_effort: 'low' }, { enabled: true, budgetShare: 0.2 }],
    ['OpenAI, off', { reasoning_effort: 'none' }, { enabled: false }],
    ['DeepSeek', { reasoning_effort: 'max' }, { enabled: true }],
    ['DeepSeek, ultra', { reasoning_effort: 'ultra' }, { enabled: true }],
    ['OpenRouter', { reasoning: { max_tokens: 100 } }, { enabled: true, budgetTokens: 100 }],
    [
      'OpenRouter, hidden',
      { reasoning: { effort: 'high', exclude: true } },
      { enabled: true, budgetShare: 0.8, isHidden: true },
    ],
    ['OpenRouter, off', { reasoning: { enabled: false } }, { enabled: false }],
    ['vLLM, hidden', { include_reasoning: false }, { isHidden: true }],
    ['Groq, hidden', { reasoning_format: 'hidden' }, { isHidden: true }],
    ['llama.cpp', { reasoning_format: 'deepseek' }, {}],
  ])('is read from the words of %s', (_who, fields, choice) => {
    expect(read(fields)).toEqual(choice);
  });

  it('takes an explicit budget before thinking.type, that before enable_thinking, that before an effort', () => {
    const all = { thinking: { type: 'enabled' }, enable_thinking: false, reasoning_effort: 'low' };
    expect(read({ ...all, thinking_budget: 9 })).toEqual({ enabled: true, budgetTokens: 9 });
    expect(read(all)).toEqual({ enabled: true });
    expect(read({ ...all, thinking: null })).toEqual({ enabled: false });
    expect(read({ ...all, thinking: null, enable_thinking: null })).toEqual({ enabled: true, budgetShare: 0.2 });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ thinking: { type: 'on' } }, 'thinking.type must be enabled, disabled or adaptive; it is "on"'],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, 'thinking.budget_tokens must be at least 1; it is 0'],
    [{ thinking_budget: -2 }, 'thinking_budget must be at least -1; it is -2'],
    [{ thinking_budget: '9' }, 'thinking_budget must be of type integer, not a string'],
    [{ reasoning_effort: 'some' }, 'reasoning_effort must be one of'],
    [{ reasoning_format: 'raw' }, 'reasoning_format is "raw"; auto, deepseek, parsed, hidden work'],
    [
      { chat_template_kwargs: { enable_thinking: 'yes' } },
      'chat_template_kwargs.enable_thinking must be of type boolean',
    ],
  ])('is refused with %j', (fields, message) => {
    expect(refusal(fields)).toContain(message);
  });
});

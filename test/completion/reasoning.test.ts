import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createEngine,
  type ChatCompletion,
  type ChatCompletionRequest,
  type Engine,
  type Model,
} from '../../src/index.js';

const messages: ChatCompletionRequest['messages'] = [{ role: 'user', content: 'Please compute 159+214.' }];

describe('reasoning of the demo model', () => {
  let engine: Engine;
  let model: Model;

  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
    model = await engine.load('demo');
  });

  afterAll(async () => engine[Symbol.asyncDispose]());

  const ask = (fields: Partial<ChatCompletionRequest>): Promise<ChatCompletion> =>
    model.chat({ messages, temperature: 0, ...fields });

  const reasoningTokens = ({ usage }: ChatCompletion): number => usage.completion_tokens_details.reasoning_tokens;

  it('is closed after as many tokens as the budget says, and an answer follows', async () => {
    const free = await ask({ thinking: { type: 'enabled' } });
    expect(reasoningTokens(free)).toBeGreaterThan(12);
    for (const budget of [1, 2, 7]) {
      const bound = await ask({ thinking: { type: 'enabled', budget_tokens: budget } });
      const message = bound.choices[0]?.message;
      expect(reasoningTokens(bound)).toBe(budget);
      expect(free.choices[0]?.message.reasoning_content?.startsWith(message?.reasoning_content ?? '?')).toBe(true);
      expect(message?.content).not.toBe('');
      expect(message?.content).not.toContain('</think>');
      expect(bound.choices[0]?.finish_reason).toBe('stop');
    }
  });

  it('is as without a budget where that is large enough', async () => {
    const [free, bound] = [await ask({ enable_thinking: true }), await ask({ thinking_budget: 1000 })];
    expect(bound.choices).toEqual(free.choices);
  });

  it('is spared by every word for it', async () => {
    for (const off of [{ reasoning_effort: 'none' as const }, { thinking_budget: 0 }, { enable_thinking: false }]) {
      const answer = await ask(off);
      expect(reasoningTokens(answer)).toBe(0);
      expect(answer.choices[0]?.message.reasoning_content).toBe(undefined);
    }
  });

  it('may have its part of the completion by effort', async () => {
    const low = await ask({ reasoning_effort: 'low', max_tokens: 40 });
    expect(reasoningTokens(low)).toBe(8);
  });

  it('is left out when it is not wanted, and counted', async () => {
    const shown = await ask({ enable_thinking: true });
    const hidden = await ask({ enable_thinking: true, include_reasoning: false });
    expect(hidden.choices[0]?.message.content).toBe(shown.choices[0]?.message.content);
    expect(hidden.choices[0]?.message.reasoning_content).toBe(undefined);
    expect(hidden.usage).toEqual({ ...shown.usage, prompt_tokens_details: hidden.usage.prompt_tokens_details });
    const deltas: unknown[] = [];
    for await (const { choices } of model.stream({
      messages,
      temperature: 0,
      reasoning: { exclude: true, enabled: true },
    })) {
      deltas.push(...choices.map(({ delta }) => delta.reasoning_content ?? []).flat());
    }
    expect(deltas).toEqual([]);
  });
});

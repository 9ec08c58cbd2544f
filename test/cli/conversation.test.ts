import { describe, expect, it } from 'vitest';
import { fitToContext, toMessages } from '../../src/bin/native-engine/dialogue/conversation.js';

/** A model whose tokens are characters. */
function characterModel(contextLength: number): Parameters<typeof fitToContext>[0] {
  return {
    contextLength,
    countTokens: (input) => {
      const messages = 'messages' in input ? input.messages : input;
      return Promise.resolve(
        messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('').length,
      );
    },
  };
}

const turns = Array.from({ length: 10 }, (_, i) => ({ user: `question ${i}`, assistant: `answer ${i}` }));

describe('a conversation', () => {
  it('becomes messages in order, the open question last', () => {
    const messages = toMessages({ system: 'Be brief.', turns: [{ user: 'a', assistant: 'b' }, { user: 'c' }] });
    expect(messages.map(({ role, content }) => `${role} ${JSON.stringify(content)}`)).toEqual([
      'system "Be brief."',
      'user "a"',
      'assistant "b"',
      'user "c"',
    ]);
  });

  it('keeps every turn while there is room for an answer', async () => {
    const conversation = { system: undefined, turns };
    expect(await fitToContext(characterModel(1000), conversation, undefined)).toEqual({ conversation, dropped: 0 });
  });

  it('loses its oldest turns, not its system prompt, when there is none', async () => {
    const { conversation, dropped } = await fitToContext(characterModel(100), { system: 'system', turns }, undefined);
    expect(dropped).toBeGreaterThan(0);
    expect(conversation.system).toBe('system');
    expect(conversation.turns).toEqual(turns.slice(dropped));
    expect(await characterModel(100).countTokens(toMessages(conversation))).toBeLessThanOrEqual(88);
  });

  it('says how many tokens its prompt had and how many are kept for the answer', async () => {
    const whole = { system: undefined, turns };
    const promptTokens = await characterModel(100).countTokens(toMessages(whole));
    const { shortage } = await fitToContext(characterModel(100), whole, undefined);
    expect(shortage).toEqual({ promptTokens, reserve: 12 });
    expect((await fitToContext(characterModel(1000), whole, undefined)).shortage).toBeUndefined();
  });

  it('keeps no more room than the answer may have', async () => {
    const whole = { system: undefined, turns };
    const promptTokens = await characterModel(100).countTokens(toMessages(whole));
    const tight = characterModel(promptTokens + 3);
    expect((await fitToContext(tight, whole, undefined, 3)).dropped).toBe(0);
    expect((await fitToContext(tight, whole, undefined, 4)).dropped).toBe(1);
  });

  it('keeps as much room for an answer of -1 tokens, which has no limit, as for an unlimited one', async () => {
    const whole = { system: undefined, turns };
    expect(await fitToContext(characterModel(100), whole, undefined, -1)).toEqual(
      await fitToContext(characterModel(100), whole, undefined),
    );
  });

  it('keeps the open question even when that alone is too long', async () => {
    const { conversation } = await fitToContext(characterModel(10), { system: undefined, turns }, undefined);
    expect(conversation.turns).toEqual(turns.slice(-1));
  });
});

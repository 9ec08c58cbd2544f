import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTurn,
  changeTurn,
  dropTurn,
  showTurn,
  shownTurns,
  siblingsByParent,
} from '../../../src/pages/chat/conversation/branches.js';
import {
  DEFAULT_SETTINGS,
  emptyConversation,
  newId,
  toTitle,
  type Conversation,
  type Turn,
} from '../../../src/pages/chat/conversation/conversation.js';
import { LIMITS } from '../../../src/pages/chat/conversation/limits.js';
import {
  parseConversations,
  readConversation,
  writeConversations,
} from '../../../src/pages/chat/conversation/parse-conversations.js';

const user = (id: string, parent: string | null): Turn => ({ id, parent, role: 'user', text: id });
const answer = (id: string, parent: string): Turn => ({ id, parent, role: 'assistant', text: id });
const grow = (...turns: readonly Turn[]): Conversation =>
  turns.reduce(addTurn, emptyConversation('c', 1, DEFAULT_SETTINGS));
const shown = (conversation: Conversation): string =>
  shownTurns(conversation)
    .map(({ id }) => id)
    .join(' ');

describe('the turns of a conversation', () => {
  const forked = grow(
    user('q1', null),
    answer('a1', 'q1'),
    user('q2', 'a1'),
    answer('a2', 'q2'),
    answer('a3', 'q2'),
    user('q9', null),
  );

  it('are shown from the beginning, the last of each fork unless another was chosen', () => {
    expect(shown(forked)).toBe('q9');
    const first = showTurn(forked, user('q1', null));
    expect(shown(first)).toBe('q1 a1 q2 a3');
    expect(shown(showTurn(first, answer('a2', 'q2')))).toBe('q1 a1 q2 a2');
  });

  it('know the others in their place', () => {
    const ids = (parent: string | null): string[] | undefined =>
      siblingsByParent(forked.turns)
        .get(parent)
        ?.map(({ id }) => id);
    expect([ids(null), ids('q2'), ids('a3')]).toEqual([['q1', 'q9'], ['a2', 'a3'], undefined]);
  });

  it('change and go one by one', () => {
    expect(changeTurn(forked, 'a2', { text: 'new' }).turns.find(({ id }) => id === 'a2')?.text).toBe('new');
    expect(changeTurn(forked, 'none', { text: 'new' })).toBe(forked);
    expect(dropTurn(forked, answer('a3', 'q2')).turns).toHaveLength(5);
    expect(dropTurn(forked, user('q1', null))).toBe(forked);
  });

  it('end where a file leads in a circle', () => {
    const turns = [user('a', 'b'), answer('b', 'a')];
    expect(shownTurns({ turns: [...turns, user('c', null)], shown: {} }).map(({ id }) => id)).toEqual(['c']);
    expect(shownTurns({ turns, shown: { '': 'a' } })).toEqual([]);
  });
});

describe('a file of conversations', () => {
  const whole: Conversation = {
    ...grow(user('q', null), {
      ...answer('a', 'q'),
      reasoning: 'r',
      toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
      model: 'demo',
      usage: { promptTokens: 1, completionTokens: 2, reasoningTokens: 1 },
      tokensPerSecond: 3.5,
      finish: 'failed',
      failure: { code: 'x', message: 'm', advice: 'd' },
    }),
    title: 'T',
    settings: { model: 'demo', system: 's', thinking: 'on', temperature: 0.5, topP: 1, maxTokens: 7, seed: 1 },
  };

  it('is read as it was written', () => {
    expect(parseConversations(writeConversations([whole]))).toEqual([whole]);
  });

  it('is refused with what is wrong, the limit and what to do', () => {
    const file = (conversations: unknown): string =>
      JSON.stringify({ format: 'troupe-conversations', version: 1, conversations });
    expect(parseConversations('nonsense')).toContain('Export');
    expect(parseConversations('{"format":"troupe-conversations","version":9}')).toContain('version 9');
    expect(parseConversations(file(Array.from({ length: LIMITS.conversations + 1 })))).toContain(
      `limit is ${LIMITS.conversations}`,
    );
    expect(parseConversations(file([whole, {}]))).toContain('Conversation 2');
    const manyTurns = { ...whole, turns: Array.from({ length: LIMITS.turns + 1 }, (_, i) => user(`${i}`, null)) };
    expect(parseConversations(file([manyTurns]))).toContain(`limit is ${LIMITS.turns}`);
    const orphan = { ...whole, turns: [user('a', 'b'), answer('b', 'a')] };
    expect(parseConversations(file([orphan]))).toContain('follows none');
    expect(
      readConversation({ ...whole, turns: [{ ...user('a', null), text: 'x'.repeat(LIMITS.turnChars + 1) }] }),
    ).toContain(`${LIMITS.turnChars}`);
  });

  it('never throws and gives only what is well formed, whatever it has', () => {
    const turn = fc.record({
      id: fc.anything(),
      parent: fc.anything(),
      role: fc.constantFrom('user', 'x', 1),
      text: fc.anything(),
    });
    const conversation = fc.oneof(
      fc.anything(),
      fc.record({
        id: fc.string(),
        title: fc.anything(),
        turns: fc.array(turn),
        shown: fc.anything(),
        settings: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(conversation, (value) => {
        const read = readConversation(value);
        if (typeof read === 'string') return;
        expect(readConversation(JSON.parse(JSON.stringify(read)))).toEqual(read);
      }),
      { numRuns: 1_000 },
    );
  });
});

it('a title is one line within the limit, and cuts no character in two', () => {
  expect(toTitle('  two\n lines ')).toBe('two lines');
  const long = toTitle('𝄞'.repeat(500));
  expect(Array.from(long)).toHaveLength(LIMITS.titleChars);
  expect(long.isWellFormed()).toBe(true);
});

it('ids differ', () => {
  expect(new Set(Array.from({ length: 1_000 }, newId)).size).toBe(1_000);
});

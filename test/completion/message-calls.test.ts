import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageText, textParts, type Message } from '../../src/completion/request.js';
import {
  asksForShortIds,
  takesOneCall,
  withShortIds,
  withSingleCalls,
} from '../../src/completion/templates/message-calls.js';

const user: Message = { role: 'user', content: textParts('Do it.') };
const calling = (ids: readonly (string | undefined)[], text = ''): Message => ({
  role: 'assistant',
  content: textParts(text),
  calls: ids.map((id, i) => ({ id, name: `f${i}`, argumentsText: '{}' })),
});
const result = (callId: string | undefined, text: string): Message => ({
  role: 'tool',
  callId,
  content: textParts(text),
});

describe('ids of nine characters', () => {
  it('are asked for by templates that compare a length with 9', () => {
    expect(asksForShortIds('{% if call.id|length != 9 %}')).toBe(true);
    expect(asksForShortIds('{% if not message.tool_call_id is defined or (x|string) | length != 9 %}')).toBe(true);
    expect(asksForShortIds('{% if tools | length != 0 %}')).toBe(false);
  });

  it('are made of others, so that results go on naming their calls; those that fit stay', () => {
    const id = fc.oneof(fc.string(), fc.constantFrom('a1B2c3D4e', 'call_0123456789'));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 5 }), (ids) => {
        const [call, ...results] = withShortIds([calling(ids), ...ids.map((each, i) => result(each, `r${i}`))]);
        const made = call?.calls?.map((each) => each.id ?? '') ?? [];
        expect(new Set(made).size).toBe(ids.length);
        made.forEach((each, i) => {
          expect(each).toMatch(/^[A-Za-z0-9]{9}$/);
          expect(results[i]?.callId).toBe(each);
          if (/^[A-Za-z0-9]{9}$/.test(ids[i] ?? '')) expect(each).toBe(ids[i]);
        });
      }),
    );
  });

  it('are given to calls without one, and to their results in order', () => {
    const messages = withShortIds([
      user,
      calling([undefined, undefined]),
      result(undefined, 'a'),
      result(undefined, 'b'),
    ]);
    const ids = messages[1]?.calls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(messages.slice(2).map(({ callId }) => callId)).toEqual(ids);
  });
});

describe('messages of one call', () => {
  it('are asked for by templates that compare the number of calls with 1', () => {
    expect(takesOneCall("{% if not message.tool_calls|length == 1 %}{{ raise_exception('no') }}{% endif %}")).toBe(
      true,
    );
    expect(takesOneCall('{% if message.tool_calls | length > 0 %}')).toBe(false);
  });

  it('have their results behind them, and text and reasoning once', () => {
    const several: Message = { ...calling(['a', 'b'], 'I look.'), reasoning: 'Hm.' };
    const split = withSingleCalls([user, several, result('b', '2'), result('a', '1'), user, calling(['c'])]);
    expect(split.map((each) => [each.role, messageText(each), each.calls?.[0]?.id ?? each.callId])).toEqual([
      ['user', 'Do it.', undefined],
      ['assistant', 'I look.', 'a'],
      ['tool', '1', 'a'],
      ['assistant', '', 'b'],
      ['tool', '2', 'b'],
      ['user', 'Do it.', undefined],
      ['assistant', '', 'c'],
    ]);
    expect(split.map(({ reasoning }) => reasoning)).toEqual([undefined, 'Hm.', ...Array.from({ length: 5 })]);
  });

  it('lose no result', () => {
    const id = fc.constantFrom('a', 'b', 'c', undefined);
    fc.assert(
      fc.property(fc.array(id, { maxLength: 4 }), fc.array(id, { maxLength: 5 }), (ids, results) => {
        const told = results.map((each, i) => result(each, String(i)));
        const split = withSingleCalls([user, calling(ids), ...told, user]);
        expect(
          split
            .filter(({ role }) => role === 'tool')
            .toSorted((a, b) => Number(messageText(a)) - Number(messageText(b))),
        ).toEqual(told);
        expect(split.flatMap(({ calls = [] }) => calls).map(({ id: each }) => each)).toEqual(ids);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { joinDeltas } from './join-deltas.js';

const DONE = 'data: [DONE]';

function event(content: string, envelope: object = {}, choice: object = {}): string {
  const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null, ...choice }];
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'demo', choices, ...envelope })}`;
}

const whole = [event('ab'), DONE];

describe('events of a stream that are compared', () => {
  it('are the same however a text is cut', () => {
    expect(joinDeltas([event('a'), event('b'), DONE])).toEqual(whole);
    expect(joinDeltas([event('ab'), DONE])).toEqual(whole);
  });

  it('are the same whichever choice comes first', () => {
    const [a, b] = [event('a'), event('b', {}, { index: 1 })];
    expect(joinDeltas([b, a, DONE])).toEqual([a, b, DONE]);
  });

  const [first, second] = [event('a'), event('b')];
  it.each(
    Object.entries({
      'a field of the envelope is missing': [first, event('b', { model: undefined }), DONE],
      'a later id is another': [first, event('b', { id: 'y' }), DONE],
      'a field is new': [first, event('b', { usage: null }), DONE],
      'fields of a choice are in another order': [
        first,
        second.replace('"index":0,"delta":{"content":"b"}', '"delta":{"content":"b"},"index":0'),
        DONE,
      ],
      'an event has a second choice': [first, second.replace('}]', '},{"index":1,"delta":{"content":"z"}}]'), DONE],
      'a letter is escaped': [first.replace('"a"', String.raw`"\u0061"`), second, DONE],
      'JSON has a space': [first.replace('"id":', '"id": '), second, DONE],
      'a finish reason is sent twice': [first, event('b', {}, { finish_reason: 'stop' }), DONE],
      'logprobs are an object': [first, event('b', {}, { logprobs: { content: [] } }), DONE],
      'the end is missing': [first, second],
    }),
  )('differ when %s', (_, events) => {
    expect(joinDeltas(events)).not.toEqual(whole);
  });
});

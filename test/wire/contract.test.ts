import { describe, expect, it } from 'vitest';
import type { CompletionEvent } from '../../src/completion/index.js';
import { dialects, type AnswerHead, type WireDialect } from '../../src/wire/index.js';

// What every dialect must do, over the registry: one body each, and the same answer of two choices as events.
const bodies: Readonly<Record<keyof typeof dialects, object>> = {
  chatCompletions: {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    n: 2,
    stream: true,
    stream_options: { include_usage: true },
  },
  textCompletions: { model: 'm', prompt: 'hi', n: 2, stream: true, stream_options: { include_usage: true } },
};
const usage = { promptTokens: 5, completionTokens: 7, cachedTokens: 2, reasoningTokens: 0 };
const end = (finishReason: 'stop' | 'length') => ({
  finishReason,
  cachedTokens: 2,
  completionTokens: 3,
  reasoningTokens: 0,
});

/** Two choices that come in turn, each cut into pieces of `size` letters. */
function eventsOf(texts: readonly [string, string], size: number): CompletionEvent[] {
  const piecesOf = (text: string): string[] => {
    const letters = Array.from(text);
    return Array.from({ length: Math.ceil(letters.length / size) }, (_, i) =>
      letters.slice(i * size, (i + 1) * size).join(''),
    );
  };
  const pieces = texts.map(piecesOf);
  const turns = Math.max(...pieces.map(({ length }) => length));
  const deltas = Array.from({ length: turns }, (_, turn) =>
    pieces.flatMap((own, index): CompletionEvent[] => {
      const text = own[turn];
      return text === undefined ? [] : [{ type: 'choice', index, deltas: [{ type: 'content', text }] }];
    }),
  ).flat();
  return [
    { type: 'begin', echoes: ['', ''] },
    ...deltas,
    { type: 'choice', index: 1, deltas: [], end: end('length') },
    { type: 'choice', index: 0, deltas: [], end: end('stop') },
    { type: 'end', usage },
  ];
}

interface Piece {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly finish_reason: string | null;
    readonly text?: string;
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content: string };
  }[];
  readonly usage?: object | null;
}

describe.each(Object.entries(dialects) as [keyof typeof dialects, WireDialect<object, object, object>][])(
  'the dialect %s',
  (name, dialect) => {
    const bytes = Buffer.from(JSON.stringify(bodies[name]));
    const request = dialect.toRequest(dialect.parse(bytes));
    let calls = 0;
    const head: AnswerHead = {
      id: 'i',
      created: 1,
      model: 'm',
      systemFingerprint: 'f',
      newCallId: () => `c${calls++}`,
    };
    const streamed = (events: readonly CompletionEvent[]): Piece[] => {
      const write = dialect.toEvents(request, head);
      return events.flatMap((event) => write(event) as Piece[]);
    };
    const whole = (events: readonly CompletionEvent[]): Piece => {
      const writer = dialect.toWhole(request, head);
      for (const event of events) writer.add(event);
      return writer.finish() as Piece;
    };
    const texts: [string, string] = ['Grüße, 世界! 👋', 'two'];

    it('reads what a body asks for', () => {
      expect(request).toMatchObject({ model: 'm', isStream: true, tellsUsage: true, completion: { n: 2 } });
    });

    it.each([1, 2, 3, 100])('streams what the whole answer says, in pieces of %d letters', (size) => {
      const events = eventsOf(texts, size);
      const pieces = streamed(events);
      const said = [0, 1].map((index) =>
        pieces
          .flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
          .map((choice) => choice.text ?? choice.delta?.content ?? '')
          .join(''),
      );
      expect(said).toEqual(texts);
      const { choices } = whole(events);
      expect(choices.map((choice) => choice.text ?? choice.message?.content)).toEqual(texts);
    });

    it('ends each choice once, with its reason, and nothing of it comes after', () => {
      const events = eventsOf(texts, 2);
      const ended = streamed(events).flatMap(({ choices }) =>
        choices.filter((choice) => choice.finish_reason !== null),
      );
      expect(ended.map(({ index, finish_reason: reason }) => [index, reason])).toEqual([
        [1, 'length'],
        [0, 'stop'],
      ]);
      expect(whole(events).choices.map((choice) => choice.finish_reason)).toEqual(['stop', 'length']);
      const pieces = streamed(events).flatMap(({ choices }) => choices);
      for (const index of [0, 1])
        expect(pieces.findLast((piece) => piece.index === index)?.finish_reason).not.toBeNull();
    });

    it('tells what the answer took in its last object alone, the same as in the whole answer', () => {
      const pieces = streamed(eventsOf(texts, 2));
      expect(pieces.at(-1)?.usage).toEqual(whole(eventsOf(texts, 2)).usage);
      expect(pieces.slice(0, -1).every((piece) => piece.usage === null)).toBe(true);
      expect(pieces.every(({ id, model }) => id === 'i' && model === 'm')).toBe(true);
    });

    it('refuses bodies that are cut at any byte, with an error that its wire can say', () => {
      for (let length = 0; length < bytes.length; length++) {
        let error: unknown;
        try {
          dialect.parse(bytes.subarray(0, length));
        } catch (thrown) {
          error = thrown;
        }
        expect(error).toMatchObject({ code: 'json_parse_error' });
        expect(dialect.toError({ code: 'json_parse_error', message: 'm', details: {} })).toMatchObject({
          error: { message: 'm' },
        });
      }
    });

    it('frames objects so that a reader finds their ends', () => {
      const { frame, end: last, mediaType } = dialect.framing;
      expect(frame('{"a":"b\\n"}')).toContain('{"a":"b\\n"}');
      expect(last).not.toBe(frame('{}'));
      expect(mediaType).toMatch(/^[a-z]+\/[a-z-]+/);
    });
  },
);

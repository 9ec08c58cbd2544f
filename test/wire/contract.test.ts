import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKindOf, isAppError } from '../../src/base/index.js';
import { codeTables } from '../repo/code-tables.js';
import type { ChoiceFinish, Delta, CompletionEvent, TokenUsage } from '../../src/completion/index.js';
import { Compile } from '../../src/schema/index.js';
import { readJson } from '../../src/endpoint/read-json.js';
import { AnswerTimer, dialects, type AnswerHead, type WireDialect, type WireRequest } from '../../src/wire/index.js';
import { clients } from './clients.js';
import type { Asked, ReadAnswer } from './wire-client.js';
import { frameReaders } from './frames.js';

// What every dialect must do, over the registry.
type Finish = ChoiceFinish;

/** What a choice says, in order, and why it ends. */
interface Said {
  readonly deltas: readonly Delta[];
  readonly finish: Finish;
}

const usage: TokenUsage = { promptTokens: 5, completionTokens: 7, cachedTokens: 2, reasoningTokens: 1 };
const kindOf = createKindOf(Object.values(codeTables));
const everything: Asked = { n: 2, isStream: true, tellsUsage: true, logprobs: false };

/** The choices in turn, a delta each; `ends` says which of two that end in one turn is first. */
function eventsOf(said: readonly Said[], ends: 'up' | 'down' = 'up'): CompletionEvent[] {
  const turns = Math.max(...said.map(({ deltas }) => deltas.length)) + 1;
  const order = ends === 'up' ? [...said.keys()] : [...said.keys()].toReversed();
  const choices = Array.from({ length: turns }, (_, turn) =>
    order.flatMap((index): CompletionEvent[] => {
      const { deltas = [], finish = 'stop' } = said[index] ?? {};
      const delta = deltas[turn];
      if (delta !== undefined) return [{ type: 'choice', index, deltas: [delta] }];
      if (turn !== deltas.length) return [];
      const end = { finishReason: finish, cachedTokens: 2, completionTokens: 3, reasoningTokens: 0 };
      return [{ type: 'choice', index, deltas: [], end }];
    }),
  ).flat();
  return [
    { type: 'begin', unenforced: [], echoes: said.map(() => ''), promptTokens: usage.promptTokens },
    ...choices,
    { type: 'end', usage },
  ];
}

const withToken = (text: string): Delta => ({
  type: 'content',
  text,
  logprobs: [{ bytes: [...Buffer.from(text)], logprob: -Infinity, top: [{ bytes: [0xff], logprob: -1 }] }],
});

/** `text` cut into pieces of `size` letters, with the logprobs of its tokens where those are asked for. */
function cut(text: string, size: number, logprobs: boolean): Delta[] {
  const letters = Array.from(text);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, i) => {
    const piece = letters.slice(i * size, (i + 1) * size).join('');
    return logprobs ? withToken(piece) : { type: 'content', text: piece };
  });
}

const deltas = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text): Delta[] => [{ type: 'content', text }]),
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text): Delta[] => [{ type: 'reasoning', text }]),
  fc.tuple(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 })).map(([value, at]) => {
    // Arguments are the JSON of an object, which comes in pieces.
    const text = JSON.stringify({ value });
    return [
      { type: 'toolCall' as const, index: 0, name: 'f', argumentsText: '' },
      ...[text.slice(0, at), text.slice(at)].map((argumentsText): Delta => {
        return { type: 'toolCall', index: 0, argumentsText };
      }),
    ];
  }),
);

describe.each(Object.entries(dialects) as [keyof typeof dialects, WireDialect<object, object>][])(
  'the dialect %s',
  (name, dialect) => {
    const client = clients[name];
    /** What this dialect can ask for of it. */
    const fit = ({ n, tellsUsage, logprobs, ...rest }: Asked): Asked => ({
      ...rest,
      n: Math.min(n, client.maxChoices),
      tellsUsage: tellsUsage || client.tellsUsageAlways,
      logprobs: logprobs && client.tellsLogprobs,
    });
    const asked = fit(everything);
    const told: readonly string[] = client.told ?? Object.keys(usage);
    const toldUsage = Object.fromEntries(
      Object.entries(usage).map(([field, count]) => [field, told.includes(field) ? count : 0]),
    );
    const bytesOf = (asking: Asked): Buffer => Buffer.from(JSON.stringify(client.body(asking)));
    const requestOf = (asking: Asked): WireRequest => readBytes(dialect, bytesOf(asking));
    const openHead = (): AnswerHead => {
      let calls = 0;
      return {
        id: 'i',
        created: 1,
        model: 'm',
        systemFingerprint: 'f',
        newCallId: () => `c${calls++}`,
        newId: () => `n${calls++}`,
        unixSeconds: () => 2,
        timer: new AnswerTimer(),
      };
    };
    const objectsOf = (events: readonly CompletionEvent[], asking: Asked): object[] => {
      const write = dialect.toEvents(requestOf(asking), openHead());
      return events.flatMap((event) => write(event));
    };
    const stream = (events: readonly CompletionEvent[], asking = asked): ReadAnswer =>
      client.readStream(objectsOf(events, asking), asking.n);
    const whole = (events: readonly CompletionEvent[], asking = asked): ReadAnswer => {
      const writer = dialect.toWhole(requestOf({ ...asking, isStream: false }), openHead());
      for (const event of events) writer.add(event);
      return client.readWhole(writer.finish());
    };
    const texts = ['Grüße, 世界! 👋', 'two'].slice(0, client.maxChoices);

    it.each([true, false])('reads what a body asks for: %s', (flag) => {
      const asking = fit({ n: flag ? 3 : 1, isStream: flag, tellsUsage: flag, logprobs: flag });
      const request = requestOf(asking);
      expect(request).toMatchObject({
        model: 'm',
        isStream: flag,
        tellsUsage: asking.tellsUsage,
        completion: { n: asking.n },
      });
      expect(request.completion.logprobs).toBe(asking.logprobs ? 0 : undefined);
    });

    it.each([1, 2, 3, 100])('says the same streamed and whole, cut into pieces of %d letters', (size) => {
      for (const logprobs of [false, true]) {
        const asking = fit({ ...asked, logprobs });
        const events = eventsOf(
          texts.map((text): Said => ({ deltas: cut(text, size, asking.logprobs), finish: 'stop' })),
        );
        const read = stream(events, asking);
        expect(read).toEqual(whole(events, asking));
        expect(read.choices.map(({ content }) => content)).toEqual(texts);
        expect(read.choices.map(({ tokenText }) => tokenText)).toEqual(
          texts.map((text) => (asking.logprobs ? text : '')),
        );
      }
    });

    it('says the same streamed and whole of everything that it can say', () => {
      const choice = fc.record({
        deltas: fc
          .array(deltas)
          .map((runs) => numberCalls(runs.flat().filter(({ type }) => client.says.includes(type)))),
        finish: fc.constantFrom(...client.finishes.keys()),
      });
      fc.assert(
        fc.property(choice, choice, fc.constantFrom<'up' | 'down'>('up', 'down'), (first, second, ends) => {
          const said = [first, second].slice(0, client.maxChoices);
          const events = eventsOf(said, ends);
          const [read, written] = [stream(events), whole(events)];
          // Ids of calls are made in the order of events, which is the same.
          expect(read).toEqual(written);
          expect(read.choices.map(({ content }) => content)).toEqual(said.map((one) => textOf(one.deltas, 'content')));
          expect(read.choices.map(({ reasoning }) => reasoning)).toEqual(
            said.map((one) => textOf(one.deltas, 'reasoning')),
          );
          expect(read.choices.map(({ finish }) => finish)).toEqual(
            said.map(({ finish }) => client.finishes.get(finish)),
          );
        }),
        { numRuns: 200 },
      );
    });

    it('writes objects of its schemas', () => {
      const asking = fit({ ...asked, logprobs: true });
      const said: Said[] = texts.map(() => ({ deltas: cut('Grüße, 世界! 👋', 3, asking.logprobs), finish: 'length' }));
      const check = Compile(dialect.schemas.event);
      for (const object of objectsOf(eventsOf(said), asking)) {
        expect(check.Errors(object)).toEqual([]);
      }
      const writer = dialect.toWhole(requestOf(asked), openHead());
      for (const event of eventsOf(said)) writer.add(event);
      expect(Compile(dialect.schemas.whole).Errors(writer.finish())).toEqual([]);
    });

    it('tells what an answer took with its end, and in a stream only where that was asked for', () => {
      const events = eventsOf(texts.map(() => ({ deltas: [], finish: 'stop' })));
      expect(stream(events).usage).toEqual(toldUsage);
      expect(whole(events).usage).toEqual(toldUsage);
      if (!client.tellsUsageAlways) expect(stream(events, { ...asked, tellsUsage: false }).usage).toBeUndefined();
      const read = stream(events);
      expect([...read.ids, ...read.models]).toEqual(client.hasNoIds === true ? ['m'] : ['i', 'm']);
    });

    it('refuses bodies that are cut at any byte', () => {
      const bytes = bytesOf(asked);
      for (let length = 0; length < bytes.length; length++) {
        expect(codeOfParse(dialect, bytes.subarray(0, length))).toBe('json_parse_error');
      }
    });

    it('reads any JSON in any of its fields, or refuses it by a code', () => {
      const fields = Object.keys(Reflect.get(dialect.schemas.request, 'properties') as object);
      fc.assert(
        fc.property(fc.constantFrom(...fields), fc.jsonValue(), (field, value) => {
          const body = { ...client.body(asked), [field]: value };
          expect(codeOfParse(dialect, Buffer.from(JSON.stringify(body)))).toBeTypeOf('string');
        }),
        { numRuns: 500 },
      );
    });

    it('has words for every error code, and none of a failure that is ours alone', () => {
      for (const code of Object.values(codeTables).flatMap((table) => Object.keys(table))) {
        const read = client.readError(dialect.toError({ code, message: 'what went wrong', details: {} }, kindOf));
        expect(read.message).not.toBe('');
        if (!read.message.endsWith('what went wrong')) expect(read.message).not.toContain('went wrong');
      }
      const failed = client.readError(
        dialect.toError({ code: 'internal_error', message: 'secret', details: {} }, kindOf),
      );
      expect(failed.message).not.toContain('secret');
      const refused = client.readError(
        dialect.toError({ code: 'invalid_value', message: 'n is 0', details: {} }, kindOf),
      );
      expect(refused.message).toBe('n is 0');
    });

    it('frames objects so that a reader finds their ends, wherever the text is cut', () => {
      const { frame, end, ping = '', mediaType } = dialect.framing;
      const read = frameReaders[mediaType];
      const objects = [
        { type: 't.a', a: 'b\n\r\u2028data: [DONE]' },
        { type: 't' },
        { type: 'error', error: { message: ':' } },
      ];
      const text = objects.map((object) => ping + frame(JSON.stringify(object), object)).join('');
      // Lines have no other end than that of the text.
      const isLines = mediaType === 'application/x-ndjson';
      expect(read?.([text])).toEqual({ objects, isEnded: isLines });
      for (let at = 0; at <= text.length; at++) {
        expect(read?.([text.slice(0, at), text.slice(at) + end])).toEqual({ objects, isEnded: isLines || end !== '' });
      }
    });
  },
);

function readBytes(dialect: WireDialect<object, object>, bytes: Uint8Array): WireRequest {
  const { value, sources } = readJson(bytes, dialect.sources);
  return dialect.read(value, sources);
}

/** '' where a body was taken. Throws what is no refusal. */
function codeOfParse(dialect: WireDialect<object, object>, bytes: Uint8Array): string {
  try {
    readBytes(dialect, bytes);
    return '';
  } catch (error) {
    if (isAppError(error) && error.code !== 'internal_error') return error.code;
    throw error;
  }
}

function textOf(all: readonly Delta[], type: 'content' | 'reasoning'): string {
  return all.map((delta) => (delta.type === type ? delta.text : '')).join('');
}

/** Calls count up from 0 in each choice. */
function numberCalls(all: readonly Delta[]): Delta[] {
  let index = -1;
  return all.map((delta) => {
    if (delta.type !== 'toolCall') return delta;
    if (delta.name !== undefined) index++;
    return { ...delta, index };
  });
}

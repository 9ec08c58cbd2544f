import fc from 'fast-check';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_EVENT_BYTES, SseBlocks, dataOf } from '../../src/relay/answer/sse-blocks.js';
import { AnswerTee, type TeeOptions } from '../../src/relay/answer/tee.js';
import { dialects, type AnswerUsage, type DialectName } from '../../src/relay/index.js';

/** What passes a tee, and the usage that it read. */
async function pass(
  body: Uint8Array,
  options: Partial<TeeOptions> & { readonly name?: DialectName } = {},
  size = body.length,
): Promise<{ readonly passed: string; readonly usage: AnswerUsage; readonly pieces: number }> {
  const { name = 'chat-completions', ...changed } = options;
  const tee = new AnswerTee({
    dialect: dialects[name],
    status: 200,
    contentType: 'text/event-stream',
    contentEncoding: undefined,
    takeOutUsage: false,
    estimatePrompt: () => 10,
    ...changed,
  });
  const passed: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += Math.max(1, size)) {
    const piece = body.subarray(at, at + size);
    passed.push(...tee.write(piece));
    await tee.decode(piece);
  }
  passed.push(tee.end());
  return { passed: Buffer.concat(passed).toString(), usage: await tee.usage(), pieces: passed.length - 1 };
}

const told = (promptTokens: number, completionTokens: number, more: Partial<AnswerUsage> = {}): AnswerUsage => {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    isEstimated: false,
    ...more,
  };
};

/** Streams whose usage is known: dialect, events, usage. */
const streams: readonly (readonly [DialectName, readonly string[], AnswerUsage])[] = [
  [
    'chat-completions',
    [
      'data: {"choices":[{"delta":{"role":"assistant","content":""}}],"usage":null}',
      'data: {"choices":[{"delta":{"content":"Hi \\"usage\\":{"}}],"usage":null}',
      'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}}}',
      'data: [DONE]',
    ],
    told(9, 2, { cachedTokens: 4, reasoningTokens: 1 }),
  ],
  [
    'completions',
    [
      'data: {"choices":[{"text":"a"}]}',
      'data: {"choices":[{"text":""}],"usage":{"prompt_tokens":1,"completion_tokens":1}}',
    ],
    told(1, 1),
  ],
  ['embeddings', ['data: {"usage":{"prompt_tokens":3,"total_tokens":3}}'], told(3, 0)],
  ['rerank', ['data: {"usage":{"total_tokens":3}}'], told(3, 0)],
  [
    'responses',
    [
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}',
      'event: response.completed\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":6,"input_tokens_details":{"cached_tokens":2},"output_tokens_details":{"reasoning_tokens":3}}}}',
    ],
    told(5, 6, { cachedTokens: 2, reasoningTokens: 3 }),
  ],
  [
    'messages',
    [
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":1}}}',
      'event: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"Hi"}}',
      'event: message_delta\ndata: {"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}',
    ],
    told(10, 7, { cachedTokens: 3, cacheWriteTokens: 2 }),
  ],
];

describe('the tee', () => {
  it('has a stream of every dialect in these tests', () => {
    expect(streams.map(([name]) => name)).toEqual(Object.keys(dialects));
  });

  it.each(streams)(
    'reads the usage of a stream of %s, whatever the line ends and pieces',
    async (name, events, usage) => {
      for (const end of ['\n', '\r\n', '\r']) {
        const text = `\ufeff: hello${end}${end}${events.map((event) => event.replaceAll('\n', end) + end + end).join(`: ping${end}`)}`;
        const body = Buffer.from(text);
        for (const size of [1, 2, 3, 7, 50, body.length])
          expect(await pass(body, { name }, size)).toMatchObject({ passed: text, usage });
      }
    },
  );

  it.each<[DialectName, string, AnswerUsage]>([
    [
      'chat-completions',
      '{"id":1e999,"choices":[{"message":{"content":"x","usage":{"prompt_tokens":1}}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
      told(3, 4),
    ],
    ['completions', ' \n{"usage":{"prompt_tokens":3,"completion_tokens":4},"choices":[]}', told(3, 4)],
    ['embeddings', `{"data":[${'0.123,'.repeat(5_000)}1],"usage":{"prompt_tokens":8,"total_tokens":8}}`, told(8, 0)],
    ['responses', '{"output":[],"usage":{"input_tokens":3,"output_tokens":4}}', told(3, 4)],
    [
      'messages',
      '{"content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":5,"output_tokens":4}}',
      told(8, 4, { cachedTokens: 5 }),
    ],
  ])('reads the usage of a whole answer of %s', async (name, text, usage) => {
    const contentType = 'application/json; charset=utf-8';
    for (const size of [1, 10, text.length]) {
      expect(await pass(Buffer.from(text), { name, contentType }, size)).toMatchObject({ passed: text, usage });
    }
  });

  it('reads beside a content-encoding, whole, broken off or no such thing, and passes its bytes', async () => {
    const [, events, usage] = streams[0] ?? ['', [], told(0, 0)];
    const text = Buffer.from(events.map((event) => `${event}\n\n`).join(''));
    // Node has zstd from 22.15 on.
    const zstd: unknown = Reflect.get(zlib, 'zstdCompressSync');
    const encoded: [string, Buffer][] = [
      ['gzip', zlib.gzipSync(text)],
      ['br', zlib.brotliCompressSync(text)],
      ['deflate', zlib.deflateSync(text)],
    ];
    if (typeof zstd === 'function') encoded.push(['zstd', (zstd as (text: Buffer) => Buffer)(text)]);
    for (const [contentEncoding, body] of encoded) {
      const got = await pass(body, { contentEncoding, takeOutUsage: true }, 5);
      expect(got).toMatchObject({ usage, passed: body.toString() });
      expect((await pass(body.subarray(0, 20), { contentEncoding }, 5)).usage.isEstimated).toBe(true);
      expect((await pass(Buffer.from('no such thing'), { contentEncoding })).usage).toMatchObject({
        isEstimated: true,
      });
    }
  });

  it('counts from chunks where the runtime does not tell, and says so', async () => {
    const chunk = (content: string): string =>
      `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
    const text = `${chunk('')}${chunk('a')}${chunk('"b"')}${chunk('x'.repeat(40))}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    expect((await pass(Buffer.from(text))).usage).toEqual(told(10, 15, { isEstimated: true }));
    // As much of it as there is, when it breaks off.
    expect((await pass(Buffer.from(text.slice(0, 200)))).usage.completionTokens).toBe(4);
    const whole = await pass(
      Buffer.from(
        '{"choices":[{"logprobs":{"content":[{"token":"0","text":"0"}]},"message":{"content":"0123456789"}}]}',
      ),
      { contentType: 'application/json' },
    );
    expect(whole.usage).toMatchObject({ completionTokens: 4, isEstimated: true });
    const messages =
      streams
        .find(([name]) => name === 'messages')?.[1]
        .slice(0, 2)
        .join('\n\n') ?? '';
    expect((await pass(Buffer.from(`${messages}\n\n`), { name: 'messages' })).usage).toEqual(
      told(10, 1, { cachedTokens: 3, cacheWriteTokens: 2, isEstimated: true }),
    );
  });

  it('counts by its bytes what it cannot read: an unknown encoding or type, JSON that is cut off or none', async () => {
    const body = Buffer.from('{"choices":["0123456789');
    for (const more of [
      { contentEncoding: 'rot13' },
      { contentType: 'text/plain' },
      { contentType: 'application/json' },
    ]) {
      expect((await pass(body, more, 7)).usage).toEqual(told(10, 6, { isEstimated: true }));
      expect((await pass(body, { ...more, name: 'embeddings' })).usage.completionTokens).toBe(0);
    }
  });

  it('charges nothing for an error', async () => {
    const body = Buffer.from('{"error":{"message":"x"},"usage":{"prompt_tokens":3,"completion_tokens":4}}');
    expect((await pass(body, { status: 400, contentType: 'application/json' })).usage).toEqual(told(0, 0));
  });
});

describe('the usage chunk that was asked for by us', () => {
  const chunk = 'data: {"choices":[{"delta":{"content":"é"}}],"n":9007199254740993,"usage":null}';
  const extra = 'data: {"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}';

  it('is taken out with its event, and no other byte', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const blank = end + end;
      const before = `: ping${end}${chunk}${blank}`;
      const after = `data: [DONE]${blank}: bye`;
      const body = Buffer.from(`${before}event: x${end}${extra}${blank}${after}`);
      for (const size of [1, 2, 3, 5, 20, 100, body.length]) {
        const { passed, usage } = await pass(body, { takeOutUsage: true }, size);
        expect([end, size, passed]).toEqual([end, size, before + after]);
        expect(usage).toEqual(told(3, 1));
      }
      expect((await pass(body, {}, 3)).passed).toBe(body.toString());
    }
  });

  it('leaves usage beside choices, and other events without choices', async () => {
    const text = [
      chunk,
      'data: {"choices":[{"delta":{}}],"usage":{"completion_tokens":1}}',
      'data: {"choices":[],"prompt_filter_results":[]}',
      'data: {"choices":[],"usage":null}',
      extra.slice(0, -1),
    ]
      .map((event) => `${event}\n\n`)
      .join('');
    expect((await pass(Buffer.from(text), { takeOutUsage: true }, 9)).passed).toBe(text);
  });

  it('holds back no event that is too large to be it, and passes pieces as they came', async () => {
    const large = `data: {"choices":[{"delta":{"content":"${'x'.repeat(MAX_EVENT_BYTES * 2)}"}}]}\n\n`;
    const text = `${chunk}\n\n${large}${extra}\n\n${chunk}\n\n`;
    const { passed } = await pass(Buffer.from(text), { takeOutUsage: true }, 64 * 1024);
    expect(passed).toBe(`${chunk}\n\n${large}${chunk}\n\n`);
    const three = `${chunk}\n\n`.repeat(3);
    expect((await pass(Buffer.from(three), { takeOutUsage: true })).pieces).toBe(1);
  });
});

/** A stream's events by the words of the standard, as the slow twin: line by line, over the whole text. */
function eventsOf(text: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
    } else if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return events;
}

describe('events of a stream', () => {
  it('are those of the standard, and their segments are the stream, whatever the pieces', () => {
    const parts = fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      ': c',
      'data: a',
      'data:b',
      'data',
      'event: x',
      'é',
      ' ',
      'id',
      '\ufeff',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (list, size) => {
        const bytes = Buffer.from(list.join(''));
        const blocks = new SseBlocks();
        const all: Uint8Array[] = [];
        const events: string[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          for (const segment of blocks.write(bytes.subarray(at, at + size))) {
            all.push(segment.bytes);
            const data = segment.isEvent ? dataOf(Buffer.from(segment.bytes).toString()) : undefined;
            if (data !== undefined) events.push(data);
          }
        }
        all.push(blocks.end());
        expect(Buffer.concat(all).equals(bytes)).toBe(true);
        // A byte order mark in the middle is no beginning of a field; the standard takes one at the beginning only.
        if (!bytes.subarray(1).includes(Buffer.from('\ufeff'))) expect(events).toEqual(eventsOf(bytes.toString()));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('a tee that takes usage out', () => {
  it('passes every other byte of any stream, whatever the pieces', async () => {
    const extra = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}';
    const lines = fc.constantFrom(
      extra,
      extra,
      'data: {"choices":[{}],"usage":{"completion_tokens":1}}',
      ': ping',
      'event: x',
      'data: [DONE]',
      'é',
    );
    const event = fc.tuple(
      fc.array(lines, { minLength: 1, maxLength: 2 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (events, size) => {
        // One event after the other, and which of them is the one that we had asked for: data alone, and only that.
        const texts = events.map(([list, end, isComplete]) => {
          const fields = list.filter((line) => !line.startsWith(':'));
          const isExtra = fields.filter((line) => line.startsWith('data')).join() === extra;
          // A comment within an event goes with it, one before it stays.
          const first = list.findIndex((line) => !line.startsWith(':'));
          const before = list
            .slice(0, Math.max(0, first))
            .map((line) => line + end)
            .join('');
          const whole = list.map((line) => line + end).join('') + end;
          return isComplete
            ? [whole, isExtra ? before : whole]
            : [`${list[0]}${end}${end}`, list[0] === extra ? '' : `${list[0]}${end}${end}`];
        });
        const body = Buffer.from(texts.map(([text]) => text).join(''));
        const { passed } = await pass(body, { takeOutUsage: true }, size);
        expect(passed).toBe(texts.map(([, kept]) => kept).join(''));
      }),
      { numRuns: 3_000 },
    );
  });
});

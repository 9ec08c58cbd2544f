// The table of forms in which providers tell usage, beside sums that are computed here from what each form means.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerTee } from '../../src/relay/answer/tee.js';
import { anyAnswer, dialects, type AnswerUsage, type ApiDialect } from '../../src/relay/index.js';
import { findUsage, readUsage } from '../../src/relay/usage/read-usage.js';
import { mergeUsage, type ToldUsage } from '../../src/relay/usage/told-usage.js';
import { USAGE_FORMS } from '../../src/relay/usage/usage-forms.js';

/** What an answer used, as its provider knows it: disjoint kinds of tokens. All sums are sums of these. */
interface Truth {
  readonly plain: number;
  readonly read: number;
  readonly written: number;
  readonly said: number;
  readonly thought: number;
}

type Json = Readonly<Record<string, unknown>>;

/** How each provider writes it. */
const writers: Readonly<Record<string, (truth: Truth) => Json>> = {
  OpenAI: (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    completion_tokens: t.said + t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
    prompt_tokens_details: { cached_tokens: t.read },
    completion_tokens_details: { reasoning_tokens: t.thought },
  }),
  LiteLLM: (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    completion_tokens: t.said + t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
    prompt_tokens_details: { cached_tokens: t.read },
    completion_tokens_details: { reasoning_tokens: t.thought },
    cache_read_input_tokens: t.read,
    cache_creation_input_tokens: t.written,
  }),
  Anthropic: (t) => ({
    input_tokens: t.plain,
    cache_read_input_tokens: t.read,
    cache_creation_input_tokens: t.written,
    cache_creation: { ephemeral_5m_input_tokens: t.written, ephemeral_1h_input_tokens: 0 },
    output_tokens: t.said + t.thought,
    output_tokens_details: { thinking_tokens: t.thought },
  }),
  "OpenAI's responses": (t) => ({
    input_tokens: t.plain + t.read + t.written,
    input_tokens_details: { cached_tokens: t.read },
    output_tokens: t.said + t.thought,
    output_tokens_details: { reasoning_tokens: t.thought },
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
  }),
  DeepSeek: (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    prompt_cache_hit_tokens: t.read,
    prompt_cache_miss_tokens: t.plain + t.written,
    completion_tokens: t.said + t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
  }),
  Kimi: (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    completion_tokens: t.said + t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
    cached_tokens: t.read,
  }),
  'xAI and Gemini, with thoughts beside the completion': (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    completion_tokens: t.said,
    reasoning_tokens: t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
  }),
  'Gemini, with thoughts in the total alone': (t) => ({
    prompt_tokens: t.plain + t.read + t.written,
    completion_tokens: t.said,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
    completion_tokens_details: { reasoning_tokens: 0 },
  }),
  'cache beside the prompt, by the total': (t) => ({
    prompt_tokens: t.plain,
    cache_read_input_tokens: t.read,
    cache_creation_input_tokens: t.written,
    completion_tokens: t.said + t.thought,
    total_tokens: t.plain + t.read + t.written + t.said + t.thought,
  }),
  Bedrock: (t) => ({
    inputTokens: t.plain,
    cacheReadInputTokens: t.read,
    cacheWriteInputTokens: t.written,
    outputTokens: t.said + t.thought,
    totalTokens: t.plain + t.read + t.written + t.said + t.thought,
  }),
};

const tokens = fc.integer({ min: 1, max: 100_000 });
const truths: fc.Arbitrary<Truth> = fc.record({
  plain: tokens,
  read: tokens,
  written: tokens,
  said: tokens,
  thought: tokens,
});
const sumsOf = ({ plain, read, written, said, thought }: Truth) => [plain + read + written, said + thought];

describe('usage as providers tell it', () => {
  it.each(Object.entries(writers))('has the sums of what was used: %s', (_, write) => {
    fc.assert(
      fc.property(truths, (truth) => {
        const told = readUsage(write(truth));
        expect([told?.promptTokens, told?.completionTokens]).toEqual(sumsOf(truth));
        if (told?.cachedTokens !== undefined) expect(told.cachedTokens).toBe(truth.read);
        if (told?.cacheWriteTokens !== undefined) expect(told.cacheWriteTokens).toBe(truth.written);
      }),
    );
  });

  it.each<[string, Json, ToldUsage]>([
    [
      'cache in the prompt, said twice',
      {
        prompt_tokens: 1000,
        completion_tokens: 10,
        total_tokens: 1010,
        cache_read_input_tokens: 900,
        prompt_tokens_details: { cached_tokens: 900 },
      },
      { promptTokens: 1000, completionTokens: 10, cachedTokens: 900 },
    ],
    [
      'Anthropic',
      { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 7 },
      { promptTokens: 22, cachedTokens: 7, cacheWriteTokens: 5 },
    ],
    [
      'thoughts beside',
      { prompt_tokens: 32, completion_tokens: 9, reasoning_tokens: 233, total_tokens: 274 },
      { promptTokens: 32, completionTokens: 242, reasoningTokens: 233 },
    ],
    [
      'thoughts beside, without a total',
      { prompt_tokens: 32, completion_tokens: 9, reasoning_tokens: 233 },
      { promptTokens: 32, completionTokens: 242, reasoningTokens: 233 },
    ],
    ['a total alone', { total_tokens: 8 }, { totalTokens: 8 }],
    ['no prompt but a total', { prompt_tokens: 0, total_tokens: 8 }, { promptTokens: 8, completionTokens: 0 }],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, { isZero: true }],
    [
      'more cached than the prompt has',
      { prompt_tokens: 10, cache_read_input_tokens: 900 },
      { promptTokens: 910, cachedTokens: 900 },
    ],
    [
      'a total that is too small',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 3 },
      { promptTokens: 10, completionTokens: 5 },
    ],
    [
      'two spellings, one of them zero',
      { prompt_tokens: 12, input_tokens: 0, completion_tokens: 3, output_tokens: 0 },
      { promptTokens: 12, completionTokens: 3 },
    ],
  ])('%s', (_, usage, told) => expect(readUsage(usage)).toEqual(told));

  it('stands where each API has it, and not where a number means something else', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    const told = { promptTokens: 3, completionTokens: 4 };
    for (const data of [
      { usage },
      { choices: [{ index: 0, usage }] },
      { x_groq: { usage } },
      { response: { usage } },
      { message: { usage } },
      { usage: { prompt_tokens: 0, completion_tokens: 0 }, choices: [{ usage }] },
      { prompt_eval_count: 3, eval_count: 4 },
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, thoughtsTokenCount: 3, totalTokenCount: 7 } },
      { meta: { billed_units: { input_tokens: 3, output_tokens: 4 } } },
    ] as readonly Json[])
      expect(findUsage(data)).toMatchObject(told);
    for (const data of [
      {},
      { usage: null },
      { input_tokens: 42 },
      { usage: { prompt_tokens: '3' } },
      { usage: [usage] },
    ] as readonly Json[])
      expect(findUsage(data)).toBeUndefined();
  });

  it('is a whole number of tokens whatever an upstream says, and no part is more than its whole', () => {
    const names = USAGE_FORMS.flatMap(({ names: all }) => all).filter((name) => !name.includes('.'));
    const number = fc.oneof(
      fc.nat(1000),
      fc.integer(),
      fc.double(),
      fc.constant('7'),
      fc.constant(null),
      fc.constant(1e300),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), number), (usage) => {
        const told = readUsage(usage);
        if (told === undefined || told.isZero === true) return;
        for (const value of Object.values(told)) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        const { promptTokens = Infinity, completionTokens = Infinity } = told;
        expect((told.cachedTokens ?? 0) <= promptTokens && (told.cacheWriteTokens ?? 0) <= promptTokens).toBe(true);
        expect((told.reasoningTokens ?? 0) <= completionTokens).toBe(true);
      }),
    );
  });

  it('is not made worse by what comes later: zeros, a missing part, or the same once more', () => {
    const whole: ToldUsage = {
      promptTokens: 22,
      completionTokens: 242,
      cachedTokens: 7,
      cacheWriteTokens: 5,
      reasoningTokens: 233,
    };
    for (const later of [
      { isZero: true },
      { promptTokens: 0, completionTokens: 242 },
      { promptTokens: 10, completionTokens: 242 },
      { promptTokens: 10, completionTokens: 9, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      { completionTokens: 1 },
      { promptTokens: 17, cachedTokens: 7 },
      whole,
    ] as readonly ToldUsage[])
      expect(mergeUsage(whole, later)).toEqual(whole);
    expect(mergeUsage({ promptTokens: 10, completionTokens: 1 }, { completionTokens: 7 })).toEqual({
      promptTokens: 10,
      completionTokens: 7,
    });
    // The last complete one counts, also where it is smaller.
    expect(
      mergeUsage({ promptTokens: 500, completionTokens: 90 }, { promptTokens: 480, completionTokens: 30 }),
    ).toEqual({
      promptTokens: 480,
      completionTokens: 30,
    });
  });
});

/** What is read of an answer in pieces of `size` bytes. */
async function usageOf(text: string, contentType: string, dialect: ApiDialect, size = 7): Promise<AnswerUsage> {
  const estimatePrompt = (): number => 5;
  const tee = new AnswerTee({
    dialect,
    status: 200,
    contentType,
    contentEncoding: undefined,
    takeOutUsage: false,
    estimatePrompt,
  });
  const body = Buffer.from(text);
  for (let at = 0; at < body.length; at += size) tee.write(body.subarray(at, at + size));
  tee.end();
  return tee.usage();
}
const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

describe('the usage of answers', () => {
  it.each(Object.entries(writers))(
    'is the same whole and streamed, in every API and in one that is not known: %s',
    async (_, write) => {
      const truth = { plain: 11, read: 22, written: 33, said: 44, thought: 55 };
      const usage = write(truth);
      const [promptTokens, completionTokens] = sumsOf(truth);
      const expected = { promptTokens, completionTokens, isEstimated: false };
      const [chat, responses, messages] = [dialects['chat-completions'], dialects.responses, dialects.messages];
      const delta = event({ choices: [{ index: 0, delta: { content: 'hi' } }] });
      const answers: readonly (readonly [string, string, ApiDialect])[] = [
        [JSON.stringify({ choices: [{ message: { content: 'hi' } }], usage }), JSON_TYPE, chat],
        [JSON.stringify({ choices: [{ message: { content: 'hi' }, usage }] }), JSON_TYPE, chat],
        [
          delta + event({ choices: [], usage }) + event({ choices: [], usage: { prompt_tokens: 0 } }),
          STREAM_TYPE,
          chat,
        ],
        [delta + event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }), STREAM_TYPE, chat],
        // A last event without its blank line, and one of several lines.
        [delta + event({ choices: [], usage }).trimEnd(), STREAM_TYPE, chat],
        [`${delta}data: {"choices":[],\ndata: "usage":\r\ndata: ${JSON.stringify(usage)}}\n\n`, STREAM_TYPE, chat],
        [JSON.stringify({ output: [], usage }), JSON_TYPE, responses],
        [event({ type: 'response.completed', response: { usage } }), STREAM_TYPE, responses],
        [JSON.stringify({ content: [], usage }), JSON_TYPE, messages],
        [
          event({ type: 'message_start', message: { usage } }) + event({ type: 'message_delta', usage }),
          STREAM_TYPE,
          messages,
        ],
      ];
      for (const [text, type, dialect] of answers) {
        expect([text, await usageOf(text, type, dialect)]).toMatchObject([text, expected]);
        expect([text, await usageOf(text, type, anyAnswer)]).toMatchObject([text, expected]);
      }
    },
  );

  it('of a message_delta without the part of the cache is that of the message_start', async () => {
    const start = event({
      type: 'message_start',
      message: {
        usage: { input_tokens: 10, cache_read_input_tokens: 7, cache_creation_input_tokens: 5, output_tokens: 1 },
      },
    });
    for (const usage of [
      { output_tokens: 9 },
      { input_tokens: 10, output_tokens: 9 },
      { input_tokens: 0, output_tokens: 9 },
      { input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 9 },
    ]) {
      const got = await usageOf(start + event({ type: 'message_delta', usage }), STREAM_TYPE, dialects.messages);
      expect(got).toMatchObject({
        promptTokens: 22,
        completionTokens: 9,
        cachedTokens: 7,
        cacheWriteTokens: 5,
        isEstimated: false,
      });
    }
  });

  it('of zeros beside text is an estimate, and of zeros without text nothing', async () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const chat = dialects['chat-completions'];
    const whole = (content: string): string => JSON.stringify({ choices: [{ message: { content } }], usage: zeros });
    expect(await usageOf(whole('two words'), JSON_TYPE, chat)).toMatchObject({
      promptTokens: 5,
      completionTokens: 2,
      isEstimated: true,
    });
    expect(await usageOf(whole(''), JSON_TYPE, chat)).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
      isEstimated: false,
    });
    const stream = event({ choices: [{ delta: { content: 'two words' } }] }) + event({ choices: [], usage: zeros });
    expect(await usageOf(stream, STREAM_TYPE, chat)).toMatchObject({
      promptTokens: 5,
      completionTokens: 2,
      isEstimated: true,
    });
  });

  it('of embeddings is all prompt, and of lines of Ollama what their last one tells', async () => {
    for (const usage of [
      { total_tokens: 8 },
      { prompt_tokens: 8, total_tokens: 8 },
      { prompt_tokens: 0, total_tokens: 8 },
    ])
      expect(await usageOf(JSON.stringify({ data: [], usage }), JSON_TYPE, dialects.embeddings)).toMatchObject({
        promptTokens: 8,
        completionTokens: 0,
        isEstimated: false,
      });
    const lines = '{"message":{"content":"two"}}\n{"message":{"content":" words"}}\n';
    const last = '{"done":true,"prompt_eval_count":11,"eval_count":12}';
    for (const text of [`${lines}${last}\n`, lines + last])
      expect(await usageOf(text, 'application/x-ndjson', anyAnswer)).toMatchObject({
        promptTokens: 11,
        completionTokens: 12,
        isEstimated: false,
      });
    expect(await usageOf(lines, 'application/x-ndjson', anyAnswer)).toMatchObject({
      completionTokens: 2,
      isEstimated: true,
    });
  });
});

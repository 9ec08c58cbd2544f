import { describe, expect, it } from 'vitest';
import type { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import { neutralSampling, samplingDefaults, type GenerateRequest } from '../../src/engine/index.js';
import { createScript, createTestCompletion, letterTokenizer, say, type TestOptions } from './script.js';

const user: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }], seed: 1 };
const [END = 0] = letterTokenizer.encode('<|im_end|>');
// Small, so that looking through the vocabulary takes no time; the added tokens are outside of it.
const VOCAB_SIZE = 0x300;

async function engineRequest(
  fields: Partial<ChatCompletionRequest>,
  options: TestOptions = {},
): Promise<GenerateRequest> {
  const script = createScript(say('x'));
  await createTestCompletion(script, { vocabSize: VOCAB_SIZE, ...options }).chat({ ...user, ...fields });
  return script.requests[0] as GenerateRequest;
}

const idsOf = (text: string): number[] => Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

describe('what neither the request nor the model says', () => {
  const usual = { ...neutralSampling, seed: 1, topK: 40, minP: 0.05 };
  const recommended = { temperature: 0.6, topK: 20, repetitionPenalty: 1.05 };

  it.each<[string, Partial<ChatCompletionRequest>, object]>([
    ["is cut to the likeliest tokens, at the specification's temperature", {}, usual],
    [
      "is a conversation's where that is asked for",
      { sampling_defaults: 'chat' },
      { ...usual, temperature: 0.8, topP: 0.95 },
    ],
    [
      'leaves what the request says',
      { temperature: 1.5, top_k: 7, min_p: 0.2 },
      { ...usual, temperature: 1.5, topK: 7, minP: 0.2 },
    ],
    ['leaves what is off, by 0', { top_k: 0, min_p: 0 }, { ...usual, topK: 0, minP: 0 }],
    ['leaves what is off, by -1', { top_k: -1, top_p: 1 }, { ...usual, topK: -1 }],
    ['is nothing at temperature 0', { temperature: 0 }, { ...neutralSampling, seed: 1, temperature: 0 }],
  ])('%s', async (_, fields, expected) => {
    expect((await engineRequest(fields)).sampling).toEqual(expected);
  });

  it.each<[string, Partial<ChatCompletionRequest>, object]>([
    ['goes before the defaults', {}, { ...usual, ...recommended }],
    ["goes before a conversation's too", { sampling_defaults: 'chat' }, { ...usual, topP: 0.95, ...recommended }],
    ['goes behind the request', { temperature: 1, top_k: 0 }, { ...usual, ...recommended, temperature: 1, topK: 0 }],
    ['is nothing at temperature 0', { temperature: 0 }, { ...neutralSampling, seed: 1, temperature: 0 }],
  ])('what the model recommends %s', async (_, fields, expected) => {
    expect((await engineRequest(fields, { recommended })).sampling).toEqual(expected);
  });

  it('may repeat itself without end where the end of the model is ignored, and else not', async () => {
    expect((await engineRequest({ ignore_eos: true })).mayRepeat).toBe(true);
    expect((await engineRequest({})).mayRepeat).toBeUndefined();
  });
});

describe('what the engine is asked for', () => {
  it.each<[string, Partial<ChatCompletionRequest>, Partial<GenerateRequest['sampling']>]>([
    ['nothing', {}, {}],
    ['penalties', { frequency_penalty: 0.5, presence_penalty: -1 }, { frequencyPenalty: 0.5, presencePenalty: -1 }],
    ['a repetition penalty', { repetition_penalty: 1.1 }, { repetitionPenalty: 1.1 }],
    ['it by its other name', { repeat_penalty: 1.2, repeat_last_n: -1 }, { repetitionPenalty: 1.2, repeatLastN: -1 }],
    ['both, of which the first counts', { repetition_penalty: 1.1, repeat_penalty: 2 }, { repetitionPenalty: 1.1 }],
    ['typical_p and min_tokens', { typical_p: 0.9, min_tokens: 4 }, { typicalP: 0.9, minTokens: 4 }],
    ['XTC', { xtc_probability: 0.5, xtc_threshold: 0.2 }, { xtc: { probability: 0.5, threshold: 0.2 } }],
    [
      'biases by id',
      { logit_bias: { 65: 1.5, 7: -100 } },
      {
        logitBias: [
          [7, -100],
          [65, 1.5],
        ],
      },
    ],
    [
      'biases in pairs',
      {
        logit_bias: [
          [65, 2],
          [7, false],
        ],
      },
      {
        logitBias: [
          [65, 2],
          [7, -Infinity],
        ],
      },
    ],
    [
      'DRY without a multiplier, which looks for no breakers',
      { dry_base: 2, dry_sequence_breakers: ['x'] },
      { dry: { ...neutralSampling.dry, base: 2 } },
    ],
    [
      'DRY',
      { dry_multiplier: 0.8, dry_base: 2, dry_allowed_length: 3, dry_penalty_last_n: 9, dry_sequence_breakers: ['x'] },
      { dry: { multiplier: 0.8, base: 2, allowedLength: 3, penaltyLastN: 9, breakerIds: idsOf('x') } },
    ],
    [
      'DRY with the breakers of llama.cpp',
      { dry_multiplier: 1 },
      { dry: { ...neutralSampling.dry, multiplier: 1, breakerIds: idsOf('\n:"*') } },
    ],
    [
      'a breaker that no token contains, which is broken into tokens',
      { dry_multiplier: 1, dry_sequence_breakers: ['ab', 'b'] },
      { dry: { ...neutralSampling.dry, multiplier: 1, breakerIds: idsOf('ab') } },
    ],
  ])('is %s', async (_, fields, sampling) => {
    const defaults = { ...neutralSampling, ...samplingDefaults.api, seed: 1 };
    expect((await engineRequest(fields)).sampling).toEqual({ ...defaults, ...sampling });
  });

  it('looks for breakers inside of tokens, once for each', async () => {
    const tokens = ['a', ':', ':\n', '\n', 'b"'];
    let looked = 0;
    const script = createScript(say('x'));
    const completion = createTestCompletion(script, {
      vocabSize: tokens.length,
      stopTokenIds: [],
      tokenizer: {
        ...letterTokenizer,
        tokenBytes: (id) => {
          looked++;
          return Buffer.from(tokens[id] ?? '');
        },
      },
    });
    const breakersOf = (index: number): unknown => script.requests[index]?.sampling.dry?.breakerIds;
    await completion.chat({ ...user, dry_multiplier: 1, dry_sequence_breakers: ['\n', '"'] });
    expect(breakersOf(0)).toEqual([2, 3, 4]);
    expect(looked).toBe(5);
    await completion.chat({ ...user, dry_multiplier: 1, dry_sequence_breakers: ['"', '\n'] });
    expect(breakersOf(1)).toEqual([4, 2, 3]);
    expect(looked).toBe(5);
    await completion.chat({ ...user, dry_multiplier: 1, dry_sequence_breakers: [] });
    expect(breakersOf(2)).toEqual([]);
  });

  it('is as many tokens as the first spelling says', async () => {
    expect((await engineRequest({ n_predict: 9 })).maxTokens).toBe(9);
    expect((await engineRequest({ n_predict: 9, max_tokens: 8 })).maxTokens).toBe(8);
    const { maxTokens } = await engineRequest({});
    expect((await engineRequest({ n_predict: -1 })).maxTokens).toBe(maxTokens);
    expect(maxTokens).toBeGreaterThan(4000);
  });

  it('is to end at the model’s stop ids and the request’s; ignore_eos leaves the request’s alone', async () => {
    const stopsOf = async (fields: Partial<ChatCompletionRequest>): Promise<unknown> =>
      (await engineRequest(fields)).stopTokenIds;
    expect(await stopsOf({})).toEqual([END]);
    expect(await stopsOf({ stop_token_ids: [5] })).toEqual([END, 5]);
    expect(await stopsOf({ stop_token_ids: [5], ignore_eos: true })).toEqual([5]);
    expect(await stopsOf({ ignore_eos: true })).toEqual([]);
  });

  it.each<[string, Partial<ChatCompletionRequest>]>([
    ['logit_bias[768]', { logit_bias: { 768: 1 } }],
    [
      'logit_bias[1][0]',
      {
        logit_bias: [
          [1, 1],
          [768, 1],
        ],
      },
    ],
    ['stop_token_ids[1]', { stop_token_ids: [767, 768] }],
  ])('is refused at %s for an id beyond the vocabulary', async (param, fields) => {
    await expect(engineRequest(fields)).rejects.toMatchObject({
      code: 'invalid_value',
      message: `${param} names the token 768; this model's vocabulary has ids from 0 to 767`,
      details: { param },
    });
  });
});

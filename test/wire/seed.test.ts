import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../src/api/index.js';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import { parseTextCompletionRequest } from '../../src/wire/parsing/parse-text-completion-request.js';
import { readSeed } from '../../src/wire/parsing/seed.js';
import { randomAt, randomKey } from '../../src/base/index.js';

const seedOf = (json: string): number | bigint | undefined =>
  readSeed(parseTextCompletionRequest(parseJsonBody(Buffer.from(`{"prompt":"a",${json}}`))).seed);
const refusalOf = (seed: unknown): unknown => {
  try {
    return parseChatCompletionRequest({ messages: [{ role: 'user', content: 'a' }], seed });
  } catch (error) {
    return error;
  }
};

describe('a seed', () => {
  it('keeps every digit that was sent, as a number or as a string', () => {
    const cases: readonly (readonly [json: string, seed: number | bigint])[] = [
      ['"seed":0', 0],
      ['"seed":-5', -5],
      ['"seed":9007199254740991', 9007199254740991],
      ['"seed":9007199254740993', 9007199254740993n],
      ['"seed" : 18446744073709551615 ', 18446744073709551615n],
      ['"seed":18446744073709551614', 18446744073709551614n],
      ['"seed":-9223372036854775808', -9223372036854775808n],
      ['"s\\u0065ed":9007199254740993,"user":"\\"seed\\":1"', 9007199254740993n],
      ['"logit_bias":{"5":1},"metadata":{"seed":9007199254740995},"seed":9007199254740993', 9007199254740993n],
      ['"seed":"18446744073709551615"', 18446744073709551615n],
      ['"seed":"7"', 7],
      ['"seed":"+7"', 7],
    ];
    for (const [json, seed] of cases) expect(seedOf(json), json).toBe(seed);
  });

  it('is another one each time where it is -1 or absent', () => {
    for (const json of ['"seed":-1', '"seed":"-1"', '"seed":null', '"n":1']) expect(seedOf(json), json).toBeUndefined();
    expect(readSeed(-1n)).toBeUndefined();
  });

  it('is refused where it is no whole number of 64 bits, or was rounded before it came', () => {
    for (const json of [
      '18446744073709551616',
      '-9223372036854775809',
      '"99999999999999999999"',
      '1e300',
      '1e400',
      '1.5',
    ]) {
      expect(() => seedOf(`"seed":${json}`), json).toThrow();
    }
    expect(refusalOf(2 ** 53)).toMatchObject({ code: 'invalid_value', details: { param: 'seed' } });
    expect(refusalOf(2 ** 53)).toMatchObject({ message: expect.stringContaining('bigint') });
    for (const seed of ['', 'ten', '0x10', '1.0', ' 1', true, [1], 2n ** 64n]) {
      expect(refusalOf(seed), String(seed)).toMatchObject({ details: { param: 'seed' } });
    }
    expect(refusalOf('ten')).toMatchObject({
      message: 'seed must match ^[+-]?[0-9]{1,20}$; it is a string of 3 characters',
    });
    expect(refusalOf(2n ** 64n - 1n)).toMatchObject({ seed: '18446744073709551615' });
  });

  it('that differs in its lowest bit alone begins another stream', () => {
    const seeds = [0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 2n, 2n ** 64n - 1n];
    const streams = seeds.map((seed) => Array.from({ length: 4 }, (_, at) => randomAt(randomKey(seed), at)).join());
    expect(new Set(streams).size).toBe(seeds.length);
    expect(randomKey(7)).toBe(randomKey(7n));
  });
});

describe('the most tokens of an answer', () => {
  it('may be -1 under each of its names, which is no limit, but not 0 or less', () => {
    for (const field of ['max_tokens', 'max_completion_tokens', 'n_predict']) {
      const ask = (count: number) =>
        parseChatCompletionRequest({ messages: [{ role: 'user', content: 'a' }], [field]: count });
      expect(ask(-1)).toMatchObject({ [field]: -1 });
      for (const count of [0, -2]) {
        expect(() => ask(count)).toThrow(
          expect.objectContaining({ code: 'invalid_value', details: { param: field } }) as Error,
        );
      }
    }
    expect(parseTextCompletionRequest({ prompt: 'a', max_tokens: -1 })).toMatchObject({ max_tokens: -1 });
    expect(() => parseTextCompletionRequest({ prompt: 'a', max_tokens: -2 })).toThrow();
  });
});

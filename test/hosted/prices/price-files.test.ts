import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, toDecimal } from '../../../src/base/index.js';
import { NANO_DECIMALS } from '../../../src/billing/index.js';
import { readCsv, readPriceFile } from '../../../src/hosted/prices/read-price-file.js';
import { MICRO_DECIMALS } from '../../../src/words/index.js';

const HEADER = 'provider,model,currency,input,output';
const problemsOf = (text: string, path = 'p.csv'): readonly string[] => {
  try {
    readPriceFile(text, path);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

describe('a file of prices', () => {
  it('is the same as CSV, YAML and JSON, with no digit lost', () => {
    const csv = `${HEADER},cached_input,cache_write,request,image,audio,effective_from\nopenai,gpt-5,USD,1.25,10,0.125,1.563,0.000000001,0.01,0,2026-12-01T00:00:00Z\n`;
    const yaml =
      'prices:\n  - provider: openai\n    model: gpt-5\n    currency: USD\n    input: 1.25\n    output: 10\n    cached_input: 0.125\n    cache_write: 1.563\n' +
      '    request: 0.000000001\n    image: 0.01\n    audio: 0\n    effective_from: 2026-12-01T00:00:00Z\n';
    const json = JSON.stringify([
      {
        provider: 'openai',
        model: 'gpt-5',
        currency: 'USD',
        input: 1.25,
        output: '10',
        cached_input: 0.125,
        cache_write: '1.563',
        request: '0.000000001',
        image: 0.01,
        audio: 0,
        effective_from: '2026-12-01T00:00:00Z',
      },
    ]);
    const expected = [
      {
        provider: 'openai',
        model: 'gpt-5',
        currency: 'USD',
        input_nano: '1250',
        output_nano: '10000',
        cached_input_nano: '125',
        cache_write_nano: '1563',
        request_nano: '1',
        image_nano: '10000000',
        audio_nano: '0',
        effective_from_ms: Date.UTC(2026, 11, 1),
      },
    ];
    expect(readPriceFile(csv, 'p.csv')).toEqual(expected);
    expect(readPriceFile(yaml, 'p.yaml')).toEqual(expected);
    expect(readPriceFile(json, 'p.json')).toEqual(expected);
  });

  it('charges cached input as other input where nothing is said of it', () => {
    const [price] = readPriceFile(`${HEADER}\npgw/berlin,a/b:c,EUR,0.3,0\n`, 'p.csv');
    const input = { input_nano: '300', cached_input_nano: '300', cache_write_nano: '300' };
    expect(price).toMatchObject({ ...input, output_nano: '0', request_nano: '0' });
    expect(price).not.toHaveProperty('effective_from_ms');
  });

  it.each([
    ['', ['p.csv has no price']],
    [`${HEADER},prize\na,b,USD,1,1,2`, ['p.csv:1: prize is no field of a price; the nearest is price']],
    [`${HEADER}\na,b,USD,1`, ['p.csv:2: output is missing; a price of 0 must be written']],
    [`${HEADER}\na,b,usd,1,1`, ['p.csv:2: currency must be three letters such as USD']],
    [
      `${HEADER}\na,b,USD,-1,1`,
      ['p.csv:2: input must be a decimal number from 0 with at most 3 decimals, such as 0.15'],
    ],
    [
      `${HEADER}\na,b,USD,0.0001,1`,
      ['p.csv:2: input must be a decimal number from 0 with at most 3 decimals, such as 0.15'],
    ],
    [
      `${HEADER}\na,b,USD,1e3,1`,
      ['p.csv:2: input must be a decimal number from 0 with at most 3 decimals, such as 0.15'],
    ],
    [`${HEADER}\na,b,USD,1,1,7`, ['p.csv:2: has 6 cells under 5 names']],
    [`${HEADER}\na,b,USD,1,1\n\na,b,USD,2,2`, ['p.csv:4: is for the same model and time as line 2']],
    [`${HEADER}\nA B,b,USD,1,1`, ['p.csv:2: provider must be the id of a provider, or pgw/SLUG']],
    [
      `${HEADER}\na,"b c",USD,1,1`,
      ['p.csv:2: model must be the id of a model, of at most 200 characters without blanks'],
    ],
    [`${HEADER}\na,"b,USD,1,1`, ['p.csv:2: has a quote that is not closed']],
  ])('refuses %j with the place', (text, problems) => {
    const told = problemsOf(text);
    expect(told.map((line) => line.replace(/; the(?:y are| nearest is) .*/, ''))).toEqual(
      problems.map((line) => line.replace(/; the(?:y are| nearest is) .*/, '')),
    );
  });

  it.each([
    [
      '- provider: a\n  model: b\n  currency: USD\n  input: 1\n  outptu: 2\n',
      [/^p\.yaml:1: outptu is no field of a price; the nearest is output/, /output is missing/],
    ],
    ['prices: 7\n', [/is no list of prices/]],
    ['- &a {provider: a, model: b, currency: USD, input: 1, output: 1}\n- *a\n', [/aliases/]],
    ['- {provider: a, provider: b}\n', [/p\.yaml:1: .*unique/i]],
    ['- [1, 2]\n', [/is no price/, /provider/, /model/, /currency/, /input/, /output/]],
  ])('refuses the YAML %j', (text, problems) => {
    const told = problemsOf(text, 'p.yaml');
    expect(told.length).toBeGreaterThanOrEqual(1);
    for (const problem of problems)
      expect(
        told.some((line) => problem.test(line)),
        `${problem} in ${told.join(' | ')}`,
      ).toBe(true);
  });

  it('has a limit of 10,000 prices, and tells twenty mistakes at once', () => {
    const rows = Array.from({ length: 10_001 }, (_, i) => `a,m${i},USD,1,1`).join('\n');
    expect(problemsOf(`${HEADER}\n${rows}`)).toEqual(['p.csv has 10001 prices; the limit is 10000']);
    const wrong = Array.from({ length: 30 }, (_, i) => `a,m${i},USD,x,1`).join('\n');
    expect(problemsOf(`${HEADER}\n${wrong}`).at(-1)).toBe('and 10 more');
  });

  it('reads any cells that CSV can write', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é') });
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        (records) => {
          const text = records
            .map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
            .join('\r\n');
          const read = readCsv(text, (line, why) => new Error(`${line}: ${why}`));
          expect(read.map(({ cells }) => cells)).toEqual(records);
        },
      ),
    );
  });
});

describe('amounts', () => {
  it('are the same after writing and reading', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
        fc.constantFrom(MICRO_DECIMALS, NANO_DECIMALS),
        (value, decimals) => {
          expect(parseDecimal(toDecimal(value, decimals), decimals)).toBe(value);
          expect(parseDecimal(toDecimal(value, decimals, 2), decimals)).toBe(value);
        },
      ),
    );
  });

  it.each([
    ['20', 20_000_000n],
    ['20.5', 20_500_000n],
    ['-0.000001', -1n],
    ['1.5000000', 1_500_000n],
    ['1.0000001', undefined],
    ['', undefined],
    ['.5', undefined],
    ['1.', undefined],
    ['1e3', undefined],
    ['+1', undefined],
    ['1,000', undefined],
    ['\u0661', undefined],
  ])('%j is %s micro-units', (text, value) => {
    expect(parseDecimal(text, MICRO_DECIMALS)).toBe(value);
  });

  it('have two decimals at least where money is shown', () => {
    expect(toDecimal(20_000_000n, 6, 2)).toBe('20.00');
    expect(toDecimal(-1n, 6, 2)).toBe('-0.000001');
    expect(toDecimal(150n, 9)).toBe('0.00000015');
    expect(toDecimal(0n, 9)).toBe('0');
  });
});

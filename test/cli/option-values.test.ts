import { describe, expect, it } from 'vitest';
import { toErrorData, nearest } from '../../src/base/index.js';
import { toEngineOptions } from '../../src/bin/native-engine/options/engine-options.js';
import { parseChoice, parseExpiry, parseNumber, parseSeed, ranges } from '../../src/cli/option-values.js';

function refusal(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return toErrorData(error).code;
  }
}

describe('options of the command line', () => {
  it.each([
    ['1', 1],
    ['256', 256],
    [' 8 ', 8],
    ['1e1', 10],
  ])('%j is a number of threads', (text, value) => {
    expect(parseNumber('--threads', text, ranges.threads)).toBe(value);
  });

  it.each(['0', '-1', '257', '1.5', 'two', '', '0x2', '1_0', 'NaN', 'Infinity'])('%j is not', (text) => {
    expect(refusal(() => parseNumber('--threads', text, ranges.threads))).toBe('invalid_option');
  });

  it('take a seed of 64 bits with all its digits', () => {
    const cases = [
      ['0', 0],
      ['-1', -1],
      ['+5', 5],
      ['9007199254740993', 9007199254740993n],
      ['18446744073709551615', 2n ** 64n - 1n],
    ] as const;
    for (const [text, seed] of cases) expect(parseSeed('--seed', text)).toBe(seed);
    for (const text of ['18446744073709551616', '+-5', '--5', '1.5', '1e3', 'x', '', '-9223372036854775809']) {
      expect(
        refusal(() => parseSeed('--seed', text)),
        text,
      ).toBe('invalid_option');
    }
  });

  it('take -1 as no limit of tokens, and not 0', () => {
    expect(parseNumber('--max-tokens', '-1', ranges.maxTokens)).toBe(-1);
    expect(() => parseNumber('--max-tokens', '0', ranges.maxTokens)).toThrow('and not 0');
  });

  it('are words of a list, and the nearest is suggested', () => {
    expect(parseChoice('--kernel', 'auto', ['auto', 'portable'])).toBe('auto');
    expect(() => parseChoice('--kernel', 'portabel', ['auto', 'portable'])).toThrow('Did you mean portable?');
  });

  it('leave to the library what is absent', () => {
    expect(toEngineOptions({})).toEqual({});
    expect(toEngineOptions({ threads: '2', placement: 'inline', backend: 'cuda:1', kvCache: 'q8' })).toEqual({
      threads: 2,
      placement: 'inline',
      backend: 'cuda:1',
      kvCache: 'q8',
    });
  });

  it.each(['cuda:', 'cuda:x', 'cuda:-1', 'cuda:1.5', 'gpu'])('%j is no backend', (backend) => {
    expect(refusal(() => toEngineOptions({ backend }))).toBe('invalid_option');
  });
});

describe('a suggestion', () => {
  it('is the nearest word, or none when all are far', () => {
    const words = ['--threads', '--temperature', '--top-p'];
    expect(nearest('--tempratur', words)).toBe('--temperature');
    expect(nearest('--top_p', words)).toBe('--top-p');
    expect(nearest('--colour', words)).toBeUndefined();
    expect(nearest('-'.repeat(10_000), words)).toBeUndefined();
  });
});

describe('a time to come', () => {
  const nowMs = Date.parse('2026-11-28T12:00:00Z');

  it.each([
    ['30d', '2026-12-28T12:00:00Z'],
    ['12h', '2026-11-29T00:00:00Z'],
    ['2027-01-31', '2027-01-31T00:00:00Z'],
    ['2027-01-31T12:00:00+01:00', '2027-01-31T11:00:00Z'],
  ])('%s is %s', (text, time) => {
    expect(parseExpiry('--expires', text, nowMs)).toBe(Date.parse(time));
  });

  it.each(['', '30', '0d', '-1d', '2026-11-28', '2027-02-30', 'tomorrow', '9'.repeat(30) + 'd', 'x30d'])(
    '%j is none',
    (text) => {
      expect(() => parseExpiry('--expires', text, nowMs)).toThrow(
        `--expires is ${JSON.stringify(text)}, but must be a future time`,
      );
    },
  );
});

import { describe, expect, it } from 'vitest';
import {
  createFormats,
  errorOf,
  readAddress,
  readDecimal,
  readText,
  readWhole,
  toAddress,
  toLocalTime,
  toSearch,
  toSentTime,
} from '../../../src/pages/data/index.js';

/** Spaces that do not break are as good as others here. */
const plain = (text: string): string => text.replaceAll(/\s/g, ' ');

describe('formats', () => {
  const english = createFormats('en-GB', 'UTC');
  const german = createFormats('de-DE', 'Europe/Berlin');

  it('write numbers and times as the language does', () => {
    expect([english.count(1234567), german.count(1234567)]).toEqual(['1,234,567', '1.234.567']);
    expect([english.compact(9_999), english.compact(1_234_567).toUpperCase()]).toEqual(['9,999', '1.23M']);
    expect([english.percent(0.1234), plain(german.percent(0.1234))]).toEqual(['12.3%', '12,3 %']);
    expect([english.bytes(0), english.bytes(1_234_567)].map(plain)).toEqual(['0B', '1.23MB']);
    const at = '2026-11-26T17:20:03Z';
    expect(english.dateTime(at)).toMatch(/^26 Nov 2026\W+17:20:03$/);
    expect(german.time(at)).toBe('18:20');
    const now = Date.parse(at);
    expect([-90_000, 3 * 86_400_000].map((ms) => english.relative(now + ms, now))).toEqual([
      '1 minute ago',
      'in 3 days',
    ]);
  });

  it('write durations with what matters of them', () => {
    const shown = [0.4, 12.34, 999.4, 1_234, 125_000, 3_700_000, 90_000_000].map(english.duration);
    expect(shown.map(plain)).toEqual(['0.4ms', '12ms', '999ms', '1.23s', '2m 5s', '1h 1m', '1d 1h']);
  });

  it('write money exactly, which no floating point holds', () => {
    expect(english.money('0.000123', 'EUR')).toBe('€0.000123');
    expect(english.money('12345678901234567.89', 'USD')).toBe('US$12,345,678,901,234,567.89');
  });
});

describe('what is typed', () => {
  it('is a whole number within its limits, or a sentence that says what it may be', () => {
    const rule = { min: 1, max: 1_000 };
    expect(readWhole(' 1 000 ', rule)).toEqual({ value: 1_000 });
    expect(readWhole('', { ...rule, isOptional: true })).toEqual({ value: undefined });
    for (const text of ['', '0', '1001', '1.5', '-1', '1e2', 'x', '٣']) {
      expect([text, errorOf(readWhole(text, rule))]).toEqual([text, 'A whole number from 1 to 1000.']);
    }
  });

  it('is a decimal number as text, or a text with something in it', () => {
    expect([readDecimal('0.10'), errorOf(readDecimal('0,10')), errorOf(readDecimal('1e3'))]).toEqual([
      { value: '0.10' },
      expect.any(String),
      expect.any(String),
    ]);
    expect([readText(' a ', 3), errorOf(readText('   ', 3)), errorOf(readText('abcd', 3))]).toEqual([
      { value: 'a' },
      'This is needed.',
      'At most 3 characters; this has 4.',
    ]);
  });

  it('is a time of the reader, which comes back the same to the minute', () => {
    const sent = toSentTime('2026-11-26T17:20');
    expect(toLocalTime(sent)).toBe('2026-11-26T17:20');
    expect([toSentTime(''), toSentTime('never'), toLocalTime(null)]).toEqual([undefined, undefined, '']);
  });
});

it('an address has a path and what is not empty of its query, and can be read again', () => {
  const address = { path: '/keys', query: { search: 'a b&c=d', state: '' } };
  const written = toAddress(address);
  expect(written).toBe('/keys?search=a+b%26c%3Dd');
  const [path = '', search = ''] = written.split('?');
  expect(readAddress(path, search)).toEqual({ path: '/keys', query: { search: 'a b&c=d' } });
  expect([toSearch(undefined), toSearch({ a: undefined, b: '' }), toSearch({ a: false })]).toEqual([
    '',
    '',
    '?a=false',
  ]);
});

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseMoment, parseTime } from '../../src/base/index.js';

it('a day or a time with its zone is read as Date reads it', () => {
  const span = { min: new Date(0), max: new Date(Date.UTC(2400, 0, 1)), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(span), (date) => {
      const text = date.toISOString();
      expect(parseTime(text)).toBe(date.getTime());
      expect(parseMoment(text.toLowerCase())).toBe(date.getTime());
      expect(parseTime(text.slice(0, 10))).toBe(Date.parse(text.slice(0, 10)));
      expect(parseMoment(text.slice(0, 10))).toBeUndefined();
      expect(parseTime(text.replace(/:\d\d\.\d+Z$/, '+02:30'))).toBe(
        Math.floor(date.getTime() / 60_000) * 60_000 - 9_000_000,
      );
    }),
  );
});

it.each([
  '2026-02-30',
  '2026-02-29',
  '2026-04-31T10:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-32',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:60Z',
  '2026-01-01T10:00:00',
  '2026-01-01T10:00:00+24:00',
  '2026-01-01 10:00:00Z',
  '2026-1-1',
  ' 2026-01-01',
  '26-01-01',
  '+002026-01-01',
  '',
])('%j is no time', (text) => {
  expect(parseTime(text)).toBeUndefined();
});

// One rule for amounts, one for counts, and one table of words for pages and commands.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, toDecimal } from '../../src/base/index.js';
import { createFormats } from '../../src/pages/data/index.js';
import {
  amountText,
  budgetText,
  counted,
  countText,
  gatewayStateText,
  headsOf,
  LABELS,
  MICRO_DECIMALS,
  moneyText,
  statusText,
  toAmount,
  unitText,
} from '../../src/words/index.js';

const micro = fc.bigInt({ min: 1n - 10n ** 18n, max: 10n ** 18n - 1n });
const currency = fc.constantFrom('EUR', 'USD', 'JPY', 'KWD', 'CLF', 'ABC');

describe('an amount of money', () => {
  it.each([
    ['20', 'EUR', '20.00 EUR'],
    ['0.0001', 'EUR', '0.0001 EUR'],
    ['1234567.5', 'USD', '1,234,567.50 USD'],
    ['-1000.00', 'USD', '-1,000.00 USD'],
    ['1500.00', 'JPY', '1,500 JPY'],
    ['0.25', 'JPY', '0.25 JPY'],
    ['1.5', 'KWD', '1.500 KWD'],
    ['0.000000001', 'EUR', '0.000000001 EUR'],
    ['unknown', 'EUR', 'unknown EUR'],
  ])('%s %s is %s in a text', (amount, code, text) => expect(moneyText(amount, code)).toBe(text));

  it('is exact in data: it reads back, and equals the slow way', () => {
    fc.assert(
      fc.property(micro, (value) => {
        expect(parseDecimal(toAmount(value), MICRO_DECIMALS)).toBe(value);
        expect(toAmount(value)).toBe(toDecimal(value, MICRO_DECIMALS, 2));
      }),
    );
  });

  it('loses no digit in a text', () => {
    fc.assert(
      fc.property(micro, currency, (value, code) => {
        const text = amountText(toAmount(value), code);
        expect(parseDecimal(text.replaceAll(',', ''), MICRO_DECIMALS)).toBe(value);
        expect(text).toMatch(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      }),
    );
  });

  it('has the same digits in a text and on a page', () => {
    const { money } = createFormats('en', 'UTC');
    fc.assert(
      fc.property(micro, currency, (value, code) => {
        const amount = toAmount(value);
        expect(money(amount, code).replaceAll(/[^\d.,-]/g, '')).toBe(amountText(amount, code));
      }),
    );
  });
});

it('a count has commas, and the word for so many', () => {
  expect([0, 999, 1_000, 1_234_567n].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([counted(1, 'key'), counted(1_200, 'key'), counted(2, 'entry', 'entries')]).toEqual([
    '1 key',
    '1,200 keys',
    '2 entries',
  ]);
});

it('a budget names its amount, its unit and its time', () => {
  expect(budgetText(5_000_000, 'tokens', 'month')).toBe('5,000,000 tokens a month');
  expect(budgetText('20.00', 'EUR', 'total')).toBe('20.00 EUR in total');
  expect(unitText('12', 'tokens')).toBe('12 tokens');
});

it('a request that ended has its status, or what happened instead', () => {
  expect(statusText({ status: 200, isAborted: false })).toBe('200');
  expect(statusText({ status: 200, isAborted: true })).toBe('client left');
  expect(statusText({ status: 499, isAborted: false })).toBe('client left');
  expect(statusText({ status: null, isAborted: false })).toBe('broke off');
});

it('a connected gateway is in step, stale, never read, not asked yet or disabled', () => {
  const at = '2026-11-28T00:00:00Z';
  const states = [
    { state: 'active', synced_at: at, stale_since: null },
    { state: 'active', synced_at: at, stale_since: at },
    { state: 'active', synced_at: null, stale_since: at },
    { state: 'active', synced_at: null, stale_since: null },
    { state: 'disabled', synced_at: at, stale_since: at },
  ];
  expect(states.map(gatewayStateText)).toEqual(['in step', 'stale', 'never read', 'not asked yet', 'disabled']);
});

it('no two labels are the same word', () => {
  const words = Object.values(LABELS).map((label) => label.toLowerCase());
  expect(new Set(words).size).toBe(words.length);
  expect(headsOf('tokensInOut', 'lastUsed')).toEqual(['TOKENS IN / OUT', 'LAST USED']);
});

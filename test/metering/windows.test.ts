import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenCostMicro, toAmountMicro, toTokenPrice } from '../../src/metering/index.js';
import { affordableTokens } from '../../src/metering/price.js';
import { dayOf, nextDay, toDate, windowEndMs, windowStart } from '../../src/metering/window.js';

const HOUR_MS = 3_600_000;
const at = (text: string): number => Date.parse(`${text}Z`);
const startOf = (window: 'day' | 'week' | 'month', text: string): string =>
  toDate(windowStart(window, dayOf(at(text))));
const endOf = (window: 'day' | 'week' | 'month', text: string): string =>
  new Date(windowEndMs(window, dayOf(at(text))) ?? NaN).toISOString();

describe('windows', () => {
  it('begin with a day in UTC, a Monday, or the first of a month, and end with the next', () => {
    expect(startOf('day', '2026-11-26T23:59:59.999')).toBe('2026-11-26');
    expect(endOf('day', '2026-11-26T00:00')).toBe('2026-11-27T00:00:00.000Z');
    expect(startOf('week', '2026-11-29T23:59:59.999')).toBe('2026-11-23');
    expect(startOf('week', '2026-11-30T00:00')).toBe('2026-11-30');
    expect(endOf('week', '2026-12-31T12:00')).toBe('2027-01-04T00:00:00.000Z');
    expect(startOf('month', '2026-12-31T23:59:59.999')).toBe('2026-12-01');
    expect(endOf('month', '2026-12-31T23:59:59.999')).toBe('2027-01-01T00:00:00.000Z');
    expect(endOf('month', '2028-02-29T12:00')).toBe('2028-03-01T00:00:00.000Z');
    expect(windowEndMs('total', dayOf(at('2026-11-26T12:00')))).toBeUndefined();
  });

  it('hold every moment, whatever the summer time of the machine', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at('2200-01-01T00:00') }), (unixMs) => {
        const day = dayOf(unixMs);
        for (const window of ['day', 'week', 'month'] as const) {
          const start = windowStart(window, day) * 24 * HOUR_MS;
          const end = windowEndMs(window, day) ?? NaN;
          expect(start <= unixMs && unixMs < end).toBe(true);
          expect(windowStart(window, dayOf(end - 1))).toBe(windowStart(window, day));
          expect(windowStart(window, dayOf(end))).toBe(dayOf(end));
        }
        expect(new Date(windowStart('week', day) * 24 * HOUR_MS).getUTCDay()).toBe(1);
      }),
    );
  });

  it('do not open again when the clock goes back by an hour, and do when it was wrong by more', () => {
    const midnight = at('2026-11-27T00:00');
    const day = dayOf(midnight);
    expect(nextDay(day, midnight - HOUR_MS)).toBe(day);
    expect(nextDay(day, midnight - 3 * HOUR_MS)).toBe(day - 1);
    expect(nextDay(day, midnight + 48 * HOUR_MS)).toBe(day + 2);
  });
});

describe('prices', () => {
  const price = toTokenPrice({ inputPerMillion: '0.10', outputPerMillion: '0.000000001', currency: 'EUR' });

  it('are exact from what is written', () => {
    expect(price).toEqual({ inputFemto: 100_000_000n, outputFemto: 1n, currency: 'EUR' });
    expect(toAmountMicro('20.00')).toBe(20_000_000n);
    expect(toAmountMicro('0.0000019')).toBe(1n);
    for (const inputPerMillion of ['', '-1', '1e3', '0,1', '1.0000000001', ' 1', '１'])
      expect(() => toTokenPrice({ inputPerMillion, outputPerMillion: '1', currency: 'EUR' })).toThrow(
        'inputPerMillion',
      );
  });

  it('are rounded up once a request: by less than a micro-unit, and more tokens never cost less', () => {
    const tokens = fc.integer({ min: 0, max: 2 ** 31 });
    const femto = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(tokens, tokens, femto, femto, (prompt, completion, inputFemto, outputFemto) => {
        const its = { inputFemto, outputFemto, currency: 'EUR' };
        const exact = BigInt(prompt) * inputFemto + BigInt(completion) * outputFemto;
        const micro = tokenCostMicro(its, prompt, completion);
        if (micro < 10n ** 15n) {
          expect(micro * 10n ** 9n - exact).toBeGreaterThanOrEqual(0n);
          expect(micro * 10n ** 9n - exact).toBeLessThan(10n ** 9n);
        }
        expect(tokenCostMicro(its, prompt, completion + 1)).toBeGreaterThanOrEqual(micro);
      }),
    );
  });

  it('say how many tokens an amount buys: as many, and not one more', () => {
    const femto = fc.bigInt({ min: 1000n, max: 10n ** 10n });
    const micro = fc.bigInt({ min: 0n, max: 10n ** 9n });
    fc.assert(
      fc.property(femto, femto, fc.integer({ min: 0, max: 1000 }), micro, (inputFemto, outputFemto, prompt, amount) => {
        const its = { inputFemto, outputFemto, currency: 'EUR' };
        const tokens = affordableTokens(its, prompt, amount);
        if (tokens < 0) expect(tokenCostMicro(its, prompt, 0)).toBeGreaterThan(amount);
        else {
          expect(tokenCostMicro(its, prompt, tokens)).toBeLessThanOrEqual(amount);
          expect(tokenCostMicro(its, prompt, tokens + 1)).toBeGreaterThan(amount);
        }
      }),
    );
  });
});

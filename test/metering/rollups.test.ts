// Sums of the request log equal a walk over all of it; pages equal a filter and a sort; each row is counted once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  startOf,
  type LoggedRequest,
  type RequestPageQuery,
  type RequestRow,
  type Span,
  type RollupStep,
} from '../../src/metering/index.js';
import { bucketOf, observe, percentile, type Histogram } from '../../src/metering/rollups/histogram.js';
import { countRequest, emptySpan, outcomesOf } from '../../src/metering/rollups/span.js';
import { eventually } from '../support/eventually.js';
import { newKey, newRow, NOON_MS, openTestMeter } from './open-test-meter.js';

const STATUSES = [200, 200, 200, 400, 429, 499, 502];
const HOUR_MS = 3_600_000;

/** Rows of five days, with every kind of end. */
function rowsOf(seed: number, count: number): readonly RequestRow[] {
  const pick = fc.sample(
    fc.record({
      back: fc.integer({ min: 0, max: 5 * 24 * HOUR_MS }),
      key: fc.integer({ min: 0, max: 3 }),
      model: fc.integer({ min: 0, max: 3 }),
      runtime: fc.integer({ min: 0, max: 1 }),
      status: fc.constantFrom(...STATUSES),
      ttft: fc.integer({ min: 0, max: 5_000 }),
      tokens: fc.integer({ min: 0, max: 999 }),
      isAborted: fc.boolean(),
      hasCode: fc.boolean(),
    }),
    { seed, numRuns: count },
  );
  return pick.map(({ back, key, model, runtime, status, ttft, tokens, isAborted, hasCode }, i) => ({
    ...newRow(`r${seed}-${i}`, NOON_MS - back),
    keyId: `vk_${key}`,
    ...(model < 3 && { model: `m${model}:x`, runtimeId: `r${runtime}` }),
    status,
    promptTokens: tokens,
    completionTokens: tokens % 7,
    ttftMs: ttft,
    durationMs: ttft + tokens,
    isAborted: isAborted && status === 499,
    ...(status >= 400 && hasCode && { errorCode: `code_${status}` }),
  }));
}

/** The slow twin of a rollup. */
function walk(
  rows: readonly LoggedRequest[],
  step: RollupStep,
  isWanted: (row: LoggedRequest) => boolean,
): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (const row of rows.filter(isWanted)) {
    const start = startOf(step, row.atMs);
    const span = spans.get(start) ?? emptySpan();
    spans.set(start, span);
    const { status, errorCode, ttftMs, durationMs } = row;
    countRequest(span, { ...row, status, errorCode, ttftMs, durationMs });
  }
  return spans;
}

const toPlain = ({ firstByte, duration, codes, statuses, ...sums }: Span) => ({
  ...sums,
  ...Object.fromEntries(
    Object.entries({ firstByte, duration, codes, statuses }).map(([name, counts]) => [
      name,
      Object.fromEntries(counts),
    ]),
  ),
});

describe('rollups', () => {
  it('equal a walk over all rows, by every step and scope, also over a restart and in parts', async () => {
    await using test = await openTestMeter({ retention: { requestDays: 3650, auditDays: 365 } });
    let { meter } = test;
    for (let part = 0; part < 3; part++) {
      for (const row of rowsOf(part, 1_500)) meter.recordRequest(row);
      if (part === 1) meter = await test.reopen();
      await meter.rollups.roll();
      await meter.rollups.roll();
    }
    expect(meter.rollups.isComplete).toBe(true);
    const rows = meter.requests({ after: 0, limit: 10_000 });
    expect(rows).toHaveLength(4_500);
    for (const step of ['minute', 'hour', 'day'] as const) {
      for (const [scope, isWanted] of [
        ['', () => true],
        ['m:m1:x', (row: LoggedRequest) => row.model === 'm1:x'],
        ['r:r0', (row: LoggedRequest) => row.runtimeId === 'r0'],
        ['k:vk_1', (row: LoggedRequest) => row.keyId === 'vk_1'],
      ] as const) {
        if (step === 'minute' && scope !== '') continue;
        // Keys have days alone.
        if (step === 'hour' && scope === 'k:vk_1') continue;
        // Minutes are kept for two days.
        const firstMs = step === 'minute' ? NOON_MS - 47 * HOUR_MS : 0;
        const expected = walk(rows, step, (row) => row.atMs >= firstMs && isWanted(row));
        const found = meter.rollups.spans(step, scope, firstMs, NOON_MS + HOUR_MS);
        expect([step, scope, found.map(({ startMs }) => startMs)]).toEqual([
          step,
          scope,
          [...expected.keys()].toSorted((a, b) => a - b),
        ]);
        for (const { startMs, ...span } of found)
          expect(toPlain(span)).toEqual(toPlain(expected.get(startMs) ?? emptySpan()));
      }
    }
    const parts = meter.rollups.parts('day', 'm:', 0, NOON_MS + HOUR_MS);
    for (const { name, requests } of parts)
      expect([name, requests]).toEqual([name, rows.filter(({ model }) => model === name).length]);
    expect(parts.map(({ name }) => name)).toEqual(['m0:x', 'm1:x', 'm2:x']);
  });

  it('have days of each of many keys, written in parts, and remove them when they are old', async () => {
    await using test = await openTestMeter({ retention: { requestDays: 365, auditDays: 365 } });
    let { meter } = test;
    const keys = Array.from({ length: 3_000 }, (_, i) => `vk_${i}`);
    for (const day of [0, 1])
      for (const keyId of keys) {
        const row = newRow(`r-${keyId}-${day}`, NOON_MS - day * 24 * HOUR_MS);
        meter.recordRequest({ ...row, keyId, status: keyId === 'vk_7' ? 429 : 200 });
      }
    await meter.rollups.roll();
    const ofKey = (keyId: string, step: RollupStep = 'day'): readonly number[] =>
      meter.rollups.spans(step, `k:${keyId}`, 0, NOON_MS + HOUR_MS).map((span) => outcomesOf(span).answered);
    expect([meter.rollups.isComplete, ofKey('vk_7'), ofKey('vk_2999'), ofKey('vk_2999', 'hour')]).toEqual([
      true,
      [0, 0],
      [1, 1],
      [],
    ]);
    // Days are kept for 750 days; more than one transaction removes those of the day before.
    test.wall.ms += 750 * 24 * HOUR_MS;
    meter = await test.reopen();
    await eventually(() => keys.filter((keyId) => ofKey(keyId).length === 1).length).toBe(keys.length);
    expect([ofKey('vk_7'), ofKey('vk_2999')]).toEqual([[0], [1]]);
  });

  it('tell answered, refused and failed requests apart, and have the times of those that were answered alone', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const rows = rowsOf(seed, 60);
        const span = emptySpan();
        for (const row of rows) {
          const { status, errorCode, ttftMs, durationMs } = row;
          countRequest(span, { ...row, status, errorCode, ttftMs, durationMs });
        }
        const statuses = (from: number, to: number): number =>
          rows.filter(({ status }) => status !== undefined && status >= from && status <= to).length;
        const answered = statuses(200, 399);
        expect(outcomesOf(span)).toEqual({
          answered,
          refused: statuses(400, 498),
          failed: statuses(500, 599),
          left: statuses(499, 499),
        });
        const times = ({ duration, firstByte }: Span): number[] =>
          [duration, firstByte].map((histogram) => [...histogram.values()].reduce((sum, count) => sum + count, 0));
        expect(times(span)).toEqual([answered, answered]);
      }),
      { numRuns: 30 },
    );
    const broken = emptySpan();
    const parts = {
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      ttftMs: 5,
      durationMs: 9,
    };
    countRequest(broken, { ...parts, status: 200, isAborted: false, errorCode: 'stream_broken' });
    countRequest(broken, { ...parts, status: undefined, isAborted: false, errorCode: 'stopped' });
    countRequest(broken, { ...parts, status: 200, isAborted: true, errorCode: undefined });
    expect(outcomesOf(broken)).toEqual({ answered: 0, refused: 0, failed: 2, left: 1 });
    expect([broken.duration.size, broken.firstByte.size]).toEqual([0, 0]);
  });

  it('tell percentiles to a tenth', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (times, share) => {
          const histogram: Histogram = new Map();
          for (const ms of times) observe(histogram, ms);
          const exact = times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
          const found = percentile(histogram, share) ?? 0;
          expect(Math.abs(found - exact) / exact).toBeLessThan(0.1);
        },
      ),
    );
    expect([bucketOf(0), bucketOf(1), bucketOf(2), bucketOf(1e12)]).toEqual([0, 0, 4, 100]);
    expect(percentile(new Map(), 0.5)).toBeUndefined();
  });

  it('have what was spent by hour and by day, each request once', async () => {
    await using test = await openTestMeter();
    test.meter.setFileKeys([newKey()]);
    const price = { inputFemto: 10n ** 12n, outputFemto: 10n ** 12n, currency: 'EUR' };
    for (let hour = 0; hour < 30; hour++) {
      const request = { requestId: `r${hour}`, keyId: 'vk_1', model: 'm', price, promptTokensBound: 1, choices: 1 };
      const hold = await test.meter.admit(request);
      const usage = {
        promptTokens: 1,
        completionTokens: hour,
        cachedTokens: 0,
        reasoningTokens: 0,
        isEstimated: false,
      };
      await hold.settle({ ...usage, began: true });
      await test.meter.rollups.roll();
      test.clock.advance(HOUR_MS);
    }
    const sum = (rows: readonly { costMicro: bigint }[]): bigint =>
      rows.reduce((total, row) => total + row.costMicro, 0n);
    const end = NOON_MS + 31 * HOUR_MS;
    const { rollups } = test.meter;
    await rollups.roll();
    const [hours, days] = [rollups.spend('hour', 0, end), rollups.spend('day', 0, end)];
    expect([hours.length, days.length]).toEqual([30, 2]);
    const expected = test.meter.usage({ by: 'model' })[0]?.costMicro ?? 0n;
    expect([sum(hours), sum(days), expected > 0n]).toEqual([expected, expected, true]);
    expect(rollups.spend('day', 0, end, 'other')).toEqual([]);
    // The usage of all keys is the sum of each key's.
    const [keys, models, daily] = (['key', 'model', 'day'] as const).map((by) => test.meter.usage({ by }));
    expect([keys?.[0]?.requests, models?.[0]?.requests, daily?.length]).toEqual([30, 30, 2]);
    expect(sum(daily ?? [])).toBe(expected);
    const ofKey = test.meter.usage({ by: 'day', keyId: 'vk_1' });
    expect(ofKey).toEqual(daily);
    expect(test.meter.usage({ by: 'model', keyId: 'vk_2' })).toEqual([]);
  });
});

describe('pages of the request log', () => {
  it('equal a filter and a sort of all rows, whatever is asked, in both orders', async () => {
    await using test = await openTestMeter({ retention: { requestDays: 3650, auditDays: 365 } });
    const { meter } = test;
    for (const row of rowsOf(7, 1_200)) meter.recordRequest(row);
    const all = meter.requests({ after: 0, limit: 10_000 });
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const query = fc.record({
      keyId: optional(fc.constantFrom('vk_0', 'vk_1', 'none')),
      model: optional(fc.constantFrom('m0:x', 'm2:x')),
      runtimeId: optional(fc.constantFrom('r0', 'r1')),
      status: optional(fc.constantFrom(...STATUSES)),
      errorCode: optional(fc.constantFrom('code_429', 'code_502')),
      isFailed: optional(fc.constant(true)),
      fromMs: optional(fc.integer({ min: NOON_MS - 4 * 24 * HOUR_MS, max: NOON_MS })),
      toMs: optional(fc.integer({ min: NOON_MS - 4 * 24 * HOUR_MS, max: NOON_MS })),
      ascending: fc.boolean(),
      limit: fc.integer({ min: 1, max: 400 }),
    });
    fc.assert(
      fc.property(query, ({ limit, ascending, ...given }) => {
        const filters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Omit<
          RequestPageQuery,
          'limit'
        >;
        const { keyId, model, runtimeId, status, errorCode, isFailed, fromMs = -Infinity, toMs = Infinity } = filters;
        const expected = all
          .filter(
            (row) =>
              (keyId === undefined || row.keyId === keyId) &&
              (model === undefined || row.model === model) &&
              (runtimeId === undefined || row.runtimeId === runtimeId) &&
              (status === undefined || row.status === status) &&
              (errorCode === undefined || row.errorCode === errorCode) &&
              (isFailed === undefined || ((row.status ?? 0) >= 400 && row.status !== 499)) &&
              row.atMs >= fromMs &&
              row.atMs < toMs,
          )
          .toSorted((a, b) => (a.atMs - b.atMs || a.seq - b.seq) * (ascending ? 1 : -1));
        const found: number[] = [];
        for (let page = meter.pages.requests({ ...filters, ascending, limit }); ;) {
          found.push(...page.rows.map(({ seq }) => seq));
          if (page.next === undefined) break;
          page = meter.pages.requests({ ...filters, ascending, limit, after: page.next });
        }
        expect(found).toEqual(expected.map(({ seq }) => seq));
      }),
      { numRuns: 60 },
    );
    expect(meter.pages.requests({ requestId: 'r7-5', limit: 10 }).rows.map(({ requestId }) => requestId)).toEqual([
      'r7-5',
    ]);
  });
});

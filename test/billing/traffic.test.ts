// Requests by minute, hour and day: each that ended is counted once, and refusals too, over every database.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { createRequestId, type PaidOutcome, type TrafficQuery } from '../../src/billing/index.js';
import type { Database } from '../../src/database/index.js';
import {
  countRequest,
  emptySpan,
  outcomesOf,
  startOf,
  sumSpans,
  type Span,
  type RollupStep,
} from '../../src/metering/index.js';
import { allDatabases } from '../support/test-databases.js';
import {
  newCaller,
  newRequest,
  NOON_MS,
  openTestBilling,
  PRICED,
  used,
  type TestBilling,
} from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK = { fromMs: NOON_MS - 7 * DAY_MS, toMs: NOON_MS + DAY_MS };
const NONE = { began: false, firstByteMs: null };
/** Every way in which a request can end. */
const ENDS: readonly Partial<PaidOutcome>[] = [
  {},
  { firstByteMs: 40, durationMs: 70, cachedTokens: 3 },
  { ...NONE, status: 429, end: 'failed' },
  { ...NONE, status: 502, end: 'failed', durationMs: 9_000 },
  { end: 'failed' },
  { end: 'left' },
  { ...NONE, status: 499, end: 'left' },
  { end: 'cut' },
];

interface Sent {
  readonly atMs: number;
  readonly accountId: string;
  readonly model: string;
  readonly outcome: PaidOutcome;
}

/** Sends requests that end in all ways, at times of the last five days. */
async function sendMany(test: TestBilling, seed: number, count: number): Promise<readonly Sent[]> {
  const callers = [await newCaller(test.billing, 10_000_000n), await newCaller(test.billing, 10_000_000n)];
  const picked = fc.sample(
    fc.record({
      back: fc.integer({ min: 0, max: 5 * 24 * 60 }),
      who: fc.integer({ min: 0, max: 1 }),
      model: fc.constantFrom('gpt-5', 'gpt-5-mini'),
      end: fc.constantFrom(...ENDS),
      tokens: fc.integer({ min: 3, max: 90 }),
    }),
    { seed, numRuns: count },
  );
  const sent: Sent[] = [];
  for (const { back, who, model, end, tokens } of picked) {
    const caller = callers[who];
    if (caller === undefined) throw new Error('there are two');
    test.wall.ms = NOON_MS - back * 60_000;
    const request = newRequest(caller, {
      model,
      price: { ...PRICED, model },
      requestId: createRequestId(test.wall.ms),
    });
    const hold = await test.billing.requests.admit(request);
    const outcome = end.began === false ? used(0, 0, end) : used(tokens, tokens % 7, end);
    sent.push({ atMs: test.wall.ms + test.clock.nowMs(), accountId: caller.account.id, model, outcome });
    await hold.settle(outcome);
  }
  test.wall.ms = NOON_MS;
  return sent;
}

/** The slow twin: a walk over all requests. */
function walk(sent: readonly Sent[], step: RollupStep): ReadonlyMap<number, Span> {
  const spans = new Map<number, Span>();
  for (const { atMs, outcome } of sent) {
    const start = startOf(step, atMs);
    const span = spans.get(start) ?? emptySpan();
    spans.set(start, span);
    const { status, end, began, promptTokens, completionTokens, cachedTokens, firstByteMs } = outcome;
    const code =
      end === 'cut' ? 'insufficient_credit' : end === 'failed' && status < 400 ? 'upstream_error' : undefined;
    const nano = (promptTokens - cachedTokens) * 2_000 + cachedTokens * 1_000 + completionTokens * 10_000;
    countRequest(span, {
      ...outcome,
      isAborted: end === 'left',
      errorCode: code,
      ttftMs: firstByteMs ?? undefined,
      cost: { currency: 'EUR', micro: began ? BigInt(Math.ceil(nano / 1_000)) : 0n },
    });
  }
  return spans;
}

/** A span whose counts by name are in the order of the names. */
function toPlain({ firstByte, duration, codes, statuses, costs, ...sums }: Span) {
  const counts = Object.entries({ firstByte, duration, codes, statuses, costs }).map(([name, of]) => [
    name,
    Object.fromEntries([...of].filter(([, count]) => BigInt(count) !== 0n).map(([key, count]) => [key, String(count)])),
  ]);
  return { ...sums, ...(Object.fromEntries(counts) as object) };
}

async function totalOf({ billing }: TestBilling, more: Partial<TrafficQuery> = {}): Promise<Span> {
  return sumSpans((await billing.requests.traffic({ step: 'day', ...WEEK, ...more })).spans);
}

/** A database that fails while `isAway()`. */
function away(database: Database, isAway: () => boolean): Database {
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'transaction') return value.bind(target) as unknown;
      return (work: Parameters<Database['transaction']>[0]) => {
        if (isAway()) throw new AppError('database_unavailable', 'the database is away');
        return target.transaction(work);
      };
    },
  });
}

describe.each(allDatabases)('traffic on $name', (databases) => {
  it('equals a walk over all requests, by every step and part, also over a restart and in parts', async () => {
    await using test = await openTestBilling(databases);
    const sent: Sent[] = [];
    for (let part = 0; part < 3; part++) {
      sent.push(...(await sendMany(test, part, 90)));
      if (part === 1) await test.reopen();
      else await test.billing.tick();
    }
    await test.billing.tick();
    const one = sent[0]?.accountId ?? '';
    const subjects: readonly (readonly [Partial<TrafficQuery>, (request: Sent) => boolean])[] = [
      [{}, () => true],
      [{ accountId: one }, ({ accountId }) => accountId === one],
      [{ provider: 'openai' }, () => true],
      [{ provider: 'openai', model: 'gpt-5' }, ({ model }) => model === 'gpt-5'],
    ];
    for (const [subject, isWanted] of subjects) {
      for (const step of ['minute', 'hour', 'day'] as const) {
        if (step === 'minute' && Object.keys(subject).length > 0) continue;
        // Minutes are kept for two days.
        const fromMs = step === 'minute' ? NOON_MS - 47 * HOUR_MS : WEEK.fromMs;
        const wanted = sent.filter((request) => request.atMs >= fromMs && isWanted(request));
        const expected = walk(wanted, step);
        const { spans, isComplete } = await test.billing.requests.traffic({ ...WEEK, ...subject, step, fromMs });
        expect(isComplete).toBe(true);
        expect(spans.map(({ startMs }) => startMs)).toEqual([...expected.keys()].toSorted((a, b) => a - b));
        for (const { startMs, ...span } of spans)
          expect([step, startMs, toPlain(span)]).toEqual([
            step,
            startMs,
            toPlain(expected.get(startMs) ?? emptySpan()),
          ]);
      }
    }
    // The parts of a whole, and the sums by day that are kept for ever.
    const total = await totalOf(test);
    const { requests, answered, refused, failed, left } = { ...total, ...outcomesOf(total) };
    expect(answered + refused + failed + left).toBe(requests);
    expect(requests).toBe(sent.length);
    const sums = await test.billing.requests.usage(undefined, { ...WEEK, groups: ['day'] });
    expect(total.costs.get('EUR')).toBe(sums.reduce((sum, { costMicro }) => sum + costMicro, 0n));
  });

  it('is counted anew by the chain, in slices, and once', async () => {
    await using test = await openTestBilling(databases);
    const caller = await newCaller(test.billing, 10_000_000n);
    const all = Array.from({ length: 1_100 }, async () => {
      await (await test.billing.requests.admit(newRequest(caller))).settle(used(10, 5));
    });
    await Promise.all(all);
    await test.billing.tick();
    const before = toPlain(await totalOf(test));
    expect(before).toMatchObject({ requests: 1_100 });
    await test.database.run('DELETE FROM request_span');
    await test.database.run('UPDATE span_watermark SET seq = 0');
    await test.reopen();
    await test.billing.tick();
    expect(toPlain(await totalOf(test))).toEqual(before);
  });

  it('has requests that were refused before they were admitted, by account, status and code', async () => {
    await using test = await openTestBilling(databases);
    const refused = { atMs: NOON_MS, status: 429, errorCode: 'rate_limit_exceeded', accountId: 'acc_1' };
    const known = { ...refused, provider: 'openai', model: 'gpt-5' };
    for (const request of [refused, refused, known]) test.billing.requests.noteRefused(request);
    test.billing.requests.noteRefused({ atMs: NOON_MS, status: 401, errorCode: 'invalid_api_key' });
    test.billing.requests.noteRefused({ atMs: NOON_MS + HOUR_MS, status: 499 });
    await test.billing.tick();
    const total = await totalOf(test);
    expect([total.requests, outcomesOf(total)]).toEqual([5, { answered: 0, refused: 4, failed: 0, left: 1 }]);
    expect(Object.fromEntries(total.codes)).toEqual({ rate_limit_exceeded: 3, invalid_api_key: 1 });
    expect(Object.fromEntries(total.statuses)).toEqual({ 429: 3, 401: 1, 499: 1 });
    expect((await totalOf(test, { accountId: 'acc_1' })).requests).toBe(3);
    expect((await totalOf(test, { provider: 'openai', model: 'gpt-5' })).requests).toBe(1);
    expect((await totalOf(test, { provider: 'openai', model: 'gpt-6' })).requests).toBe(0);
  });

  it('keeps refusals while the database is away, and writes them at the end of a node', async () => {
    await using database = await databases.fresh();
    let isAway = false;
    await using test = await openTestBilling(databases, { database: away(database, () => isAway) });
    const refuse = (): void => test.billing.requests.noteRefused({ atMs: NOON_MS, status: 402 });
    refuse();
    isAway = true;
    await test.billing.tick();
    refuse();
    isAway = false;
    await test.billing.tick();
    expect((await totalOf(test)).requests).toBe(2);
    refuse();
    await test.reopen();
    expect((await totalOf(test)).requests).toBe(3);
  });

  it('counts a request that expired as failed, and as answered alone when its usage comes after all', async () => {
    await using test = await openTestBilling(databases);
    const { billing, clock } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    clock.sleep(HOUR_MS + 300_001);
    for (let i = 0; i < 2; i++) await billing.tick();
    const expired = await totalOf(test);
    expect([expired.requests, outcomesOf(expired).failed, expired.codes.get('expired')]).toEqual([1, 1, 1]);
    await hold.settle(used(100, 50));
    for (let i = 0; i < 2; i++) await billing.tick();
    const settled = await totalOf(test);
    expect([settled.requests, outcomesOf(settled).answered, settled.codes.get('expired')]).toEqual([1, 1, undefined]);
  });

  it('is removed by step when it is old', async () => {
    await using test = await openTestBilling(databases);
    const caller = await newCaller(test.billing, 1_000_000n);
    await (await test.billing.requests.admit(newRequest(caller))).settle(used(10, 5));
    await test.billing.tick();
    const numOf = async (): Promise<readonly number[]> => {
      const steps = ['minute', 'hour', 'day'] as const;
      const read = steps.map((step) => test.billing.requests.traffic({ ...WEEK, step }));
      return (await Promise.all(read)).map(({ spans }) => spans.length);
    };
    const seen = [await numOf()];
    for (const days of [3, 61, 751]) {
      test.wall.ms = NOON_MS + days * DAY_MS;
      await (await test.reopen()).tick();
      seen.push(await numOf());
    }
    expect(seen).toEqual([
      [1, 1, 1],
      [0, 1, 1],
      [0, 0, 1],
      [0, 0, 0],
    ]);
  });
});

// Rows of an earlier version are added up in slices, each row once, while requests are settled; budgets are right
// meanwhile.
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { meteringMigrations } from '../../src/metering/database/migrations.js';
import { openMeterDatabase } from '../../src/metering/database/open-database.js';
import { openSettings } from '../../src/metering/database/settings.js';
import { openUsageSums } from '../../src/metering/database/usage-sums.js';
import { openUsageTable } from '../../src/metering/database/usage-table.js';
import { preferredStore, type Store } from '../../src/database/index.js';
import { openSpendTable } from '../../src/metering/rollups/spend-table.js';
import { dayOf, windowStart } from '../../src/metering/window.js';
import { eventually } from '../support/eventually.js';
import { newKey, newRequest, NOON_MS, openTestMeter, used as outcome } from './open-test-meter.js';

const TODAY = dayOf(NOON_MS);
const kind = preferredStore();

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'catch-up-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Usage as usage_day has it. */
interface Used {
  readonly day: number;
  readonly keyId: string;
  readonly model: string;
  readonly currency: string;
  readonly tokens: number;
}

const used: fc.Arbitrary<Used> = fc.record({
  // Two months, with days after the present one, as behind a clock that was put back.
  day: fc.integer({ min: TODAY - 60, max: TODAY + 2 }),
  keyId: fc.constantFrom('vk_a', 'vk_b', 'vk_c', 'vk_d', 'vk_Z'),
  model: fc.constantFrom('m', 'n'),
  currency: fc.constantFrom('', 'EUR', 'USD'),
  tokens: fc.integer({ min: 0, max: 1_000 }),
});

const costOf = ({ currency, tokens }: Used): bigint => (currency === '' ? 0n : BigInt(3 * tokens));

/** A database of the first version with usage and requests. */
async function openOld(
  path: string,
  rows: readonly Used[],
  migrations = meteringMigrations.slice(0, 1),
): Promise<Store> {
  const store = await openMeterDatabase({ kind, path, durability: 'process', migrations });
  const insert = store.prepare(
    `INSERT INTO usage_day VALUES (?1, ?2, ?3, ?4, 1, 0, ?5, 0, 0, 0, ?5, 0, ?6, 0) ON CONFLICT DO UPDATE SET
       requests = requests + 1, prompt_tokens = prompt_tokens + ?5, charged_tokens = charged_tokens + ?5,
       cost_micro = cost_micro + ?6`,
  );
  for (const row of rows) insert.run(row.day, row.keyId, row.model, row.currency, row.tokens, costOf(row));
  return store;
}

const chargeOf = (row: Used) => ({
  promptTokens: row.tokens,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
  chargedTokens: row.tokens,
  unchargedTokens: 0,
  currency: row.currency === '' ? undefined : row.currency,
  costMicro: costOf(row),
  unchargedMicro: 0n,
});

/** The slow twin: the usage of a key by all its rows, tokens and each currency. */
function walk(rows: readonly Used[], keyId: string, day: number) {
  const own = rows.filter((row) => row.keyId === keyId);
  const sums = (some: readonly Used[], amount: (row: Used) => bigint) => {
    const within = (window: 'day' | 'week' | 'month') =>
      some
        .filter((row) => row.day <= day && row.day >= windowStart(window, day))
        .reduce((sum, row) => sum + amount(row), 0n);
    const total = some.reduce((sum, row) => sum + amount(row), 0n);
    return { day: within('day'), week: within('week'), month: within('month'), total };
  };
  const currencies = [...new Set(own.map(({ currency }) => currency))].filter((currency) => currency !== '').toSorted();
  return [
    { keyId, currency: undefined, ...sums(own, ({ tokens }) => BigInt(tokens)) },
    ...currencies.map((currency) => ({
      keyId,
      currency,
      ...sums(
        own.filter((row) => row.currency === currency),
        costOf,
      ),
    })),
  ];
}

const sorted = (rows: Iterable<{ readonly keyId: string; readonly currency: string | undefined }>) =>
  [...rows].toSorted((a, b) => (a.keyId + (a.currency ?? '')).localeCompare(b.keyId + (b.currency ?? '')));

describe('sums of usage', () => {
  it('count each row once, however slices and settlements follow each other, and are those of a walk over all', async () => {
    let round = 0;
    const step = fc.oneof(used, fc.constant('count' as const), fc.constant('undo' as const));
    const property = fc.asyncProperty(
      fc.array(used, { maxLength: 60 }),
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (left, steps, sliceRows) => {
        const path = join(directory, `${round++}.sqlite`);
        (await openOld(path, left)).close();
        const store = await openMeterDatabase({ kind, path, durability: 'process', migrations: meteringMigrations });
        const settings = openSettings(store);
        const sums = openUsageSums(store, settings, sliceRows);
        const table = openUsageTable(store, 1_000, { sums, spend: openSpendTable(store) });
        const rows = [...left];
        for (const each of steps) {
          if (each === 'count') sums.countSlice();
          else if (each === 'undo') {
            // A transaction that fails leaves the watermark where it was.
            store.exec('BEGIN');
            sums.countSlice();
            store.exec('ROLLBACK');
          } else {
            table.add({ ...each, charge: chargeOf(each), atMs: each.day * 86_400_000 });
            rows.push(each);
          }
        }
        const keys = [...new Set(rows.map(({ keyId }) => keyId))];
        const expected = (day: number) => sorted(keys.flatMap((keyId) => walk(rows, keyId, day)));
        // Of one key it is right at any time.
        for (const keyId of keys) expect(sorted(sums.usedBy(keyId, TODAY))).toEqual(sorted(walk(rows, keyId, TODAY)));
        for (let i = 0; !sums.isComplete(); i++) {
          expect(i).toBeLessThan(1_000);
          sums.countSlice();
        }
        for (const day of [TODAY, TODAY - 1, TODAY + 3, TODAY + 40])
          expect(sorted(sums.used(day))).toEqual(expected(day));
        const total = store.prepare('SELECT sum(requests) AS n, sum(charged_tokens) AS t FROM usage_total').get();
        const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
        expect([total?.['n'] ?? 0, total?.['t'] ?? 0]).toEqual([rows.length, tokens]);
        const spent = store.prepare('SELECT sum(cost_micro) AS c FROM spend').get();
        expect(BigInt(spent?.['c'] ?? 0)).toBe(rows.reduce((sum, row) => sum + costOf(row), 0n));
        store.close();
      },
    );
    await fc.assert(property, { numRuns: 30, seed: 36 });
  });
});

describe('a meter over a database of the first version', () => {
  const left: readonly Used[] = ['vk_a', 'vk_b'].flatMap((keyId) =>
    [0, 1, 40].map((ago) => ({ day: TODAY - ago, keyId, model: 'm', currency: '', tokens: 100 })),
  );
  const limits = { budgets: [{ tokens: 210, window: 'month' as const }] };

  it('knows at once what a key used, refuses what is beyond its budget, and catches up', async () => {
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    (await openOld(join(directory, 'data', 'metering.sqlite'), left)).close();
    await using opened = await openTestMeter({ directory: join(directory, 'data') });
    const { meter, entries } = opened;
    const keys = [newKey(limits, { id: 'vk_a' }), newKey(limits, { id: 'vk_b' })];
    meter.setFileKeys(keys);
    expect(meter.catchingUp).toBe('usage');
    // 200 of 210 are used this month: there is room for a prompt of 5 and some tokens, and not for one of 20.
    await expect(meter.admit(newRequest({ keyId: 'vk_a', promptTokensBound: 20 }))).rejects.toMatchObject({
      code: 'budget_exceeded',
    });
    const hold = await meter.admit(newRequest({ keyId: 'vk_a', promptTokensBound: 5 }));
    await hold.settle(outcome(5, 2));
    await eventually(() => meter.catchingUp).toBe(undefined);
    const usedNow = (id: string) => meter.usageOf(id).budgets[0]?.used;
    expect([usedNow('vk_a'), usedNow('vk_b')]).toEqual([207n, 200n]);
    expect(entries.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['database changes', 'database catches up', 'database caught up']),
    );
    const again = await opened.reopen();
    again.setFileKeys(keys);
    expect(again.catchingUp).not.toBe('usage');
    expect(again.usageOf('vk_a').budgets[0]?.used).toBe(207n);
    expect(again.pages.topKeys({ window: 'month', limit: 5 }).keys.map(({ keyId, tokens }) => [keyId, tokens])).toEqual(
      [
        ['vk_a', 207n],
        ['vk_b', 200n],
      ],
    );
  });

  it('takes up one of the second version as it was before its columns became a table', async () => {
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    const old = await openOld(join(directory, 'data', 'metering.sqlite'), left, meteringMigrations.slice(0, 2));
    old.exec(`
      DROP TABLE request_course;
      ALTER TABLE request ADD COLUMN admitted_ms INTEGER;
      ALTER TABLE request ADD COLUMN attempts INTEGER;
      CREATE INDEX usage_by_key ON usage_day (key_id, currency, day);
      INSERT INTO request (request_id, ts_ms, key_id, model, route, stream, status, prompt_tokens, completion_tokens,
        reasoning_tokens, cached_tokens, estimated, duration_ms, bytes_in, bytes_out, aborted, admitted_ms, attempts)
        VALUES ('req_old', ${NOON_MS}, 'vk_a', 'm', 'chat', 0, 200, 1, 1, 0, 0, 0, 5, 1, 1, 0, 3, 1);
    `);
    old.close();
    await using opened = await openTestMeter({ directory: join(directory, 'data') });
    const { meter } = opened;
    meter.setFileKeys([newKey(limits, { id: 'vk_a' })]);
    const hold = await meter.admit(newRequest({ keyId: 'vk_a', promptTokensBound: 5 }));
    await hold.settle(outcome(5, 2));
    await eventually(() => meter.catchingUp).toBe(undefined);
    expect(meter.usageOf('vk_a').budgets[0]?.used).toBe(207n);
    const { rows } = meter.pages.requests({ keyId: 'vk_a', limit: 10 });
    expect(rows.map(({ requestId }) => requestId)).toEqual(['req_old']);
  });
});

// Sums of usage beside usage_day, against a walk over all rows.
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { meteringMigrations } from '../../src/metering/database/migrations.js';
import { openMeterDatabase } from '../../src/metering/database/open-database.js';
import { openUsageSums } from '../../src/metering/database/usage-sums.js';
import { openUsageTable } from '../../src/metering/database/usage-table.js';
import { preferredStore } from '../../src/database/index.js';
import { openSpendTable } from '../../src/metering/rollups/spend-table.js';
import { dayOf, windowStart } from '../../src/metering/window.js';
import { NOON_MS } from './open-test-meter.js';

const TODAY = dayOf(NOON_MS);
const kind = preferredStore();

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'usage-sums-'))));
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
  it('are those of a walk over all settlements, in whichever order days come', async () => {
    let round = 0;
    const property = fc.asyncProperty(fc.array(used, { maxLength: 120 }), async (rows) => {
      const path = join(directory, `${round++}.sqlite`);
      const store = await openMeterDatabase({ kind, path, durability: 'process', migrations: meteringMigrations });
      const sums = openUsageSums(store);
      const table = openUsageTable(store, 1_000, { sums, spend: openSpendTable(store) });
      for (const each of rows) table.add({ ...each, charge: chargeOf(each), atMs: each.day * 86_400_000 });
      const keys = [...new Set(rows.map(({ keyId }) => keyId))];
      for (const day of [TODAY, TODAY - 1, TODAY + 3, TODAY + 40])
        expect(sorted(sums.used(day))).toEqual(sorted(keys.flatMap((keyId) => walk(rows, keyId, day))));
      const total = store.prepare('SELECT sum(requests) AS n, sum(charged_tokens) AS t FROM usage_total').get();
      const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
      expect([total?.['n'] ?? 0, total?.['t'] ?? 0]).toEqual([rows.length, tokens]);
      const spent = store.prepare('SELECT sum(cost_micro) AS c FROM spend').get();
      expect(BigInt(spent?.['c'] ?? 0)).toBe(rows.reduce((sum, row) => sum + costOf(row), 0n));
      store.close();
    });
    await fc.assert(property, { numRuns: 30, seed: 36 });
  });
});

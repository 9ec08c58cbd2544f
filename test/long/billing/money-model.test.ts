import { afterAll, describe, expect, it } from 'vitest';
import { runMoneyModel } from '../../billing/money-model.js';
import { allDatabases } from '../../support/test-databases.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

describe.each(allDatabases)('money on $name', (databases) => {
  it('is where 100,000 commands put it', async () => {
    expect(await runMoneyModel(databases, 100_000)).toBeGreaterThan(4_000);
  }, 7_200_000);
});

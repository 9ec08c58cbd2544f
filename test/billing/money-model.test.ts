import { afterAll, describe, expect, it } from 'vitest';
import { allDatabases } from '../support/test-databases.js';
import { runMoneyModel } from './money-model.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

describe.each(allDatabases)('money on $name', (databases) => {
  it('is where the commands put it: nothing overspent, charged twice, held for ever, or lost', async () => {
    // The commands were not all refused. The stories are random: 79 were settled once.
    expect(await runMoneyModel(databases, 2_000)).toBeGreaterThan(40);
  });
});

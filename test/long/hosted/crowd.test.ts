import { afterAll, describe, expect, it } from 'vitest';
import { allDatabases } from '../../support/test-databases.js';
import { runCrowd } from '../../hosted/gateways/run-crowd.js';

const INTERVAL_MS = 300_000;

describe.each(allDatabases)('two hundred gateways for two rounds of five minutes on $name', (databases) => {
  afterAll(() => databases.close());

  it('are synced within their window, whatever a third of them does', async () => {
    const result = await runCrowd(databases, { count: 200, intervalMs: INTERVAL_MS, scale: 1 });
    expect(result).toMatchObject({ notAsked: [], wrongGood: [], wrongBad: [] });
    expect(result.twiceMs).toBeLessThan(INTERVAL_MS * 1.1 + 60_000);
    expect(result.heapGrowthBytes).toBeLessThan(128 * 1024 * 1024);
  });
});

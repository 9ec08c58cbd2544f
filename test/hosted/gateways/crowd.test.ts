import { afterAll, describe, expect, it } from 'vitest';
import { present } from '../../../src/base/index.js';
import { sqlites } from '../../support/test-databases.js';
import { runCrowd } from './run-crowd.js';

/** Minutes pass in seconds. */
const SCALE = 4;
const INTERVAL_MS = 60_000;
const MIB = 1024 * 1024;

describe('two hundred gateways of which a third is slow, broken or hostile', () => {
  const databases = present(sqlites[0], 'one SQLite is always there');
  afterAll(() => databases.close());

  it('are synced within their window, in bounded memory, and the good ones notice nothing', async () => {
    const result = await runCrowd(databases, { count: 200, intervalMs: INTERVAL_MS, scale: SCALE });
    expect(result.notAsked).toEqual([]);
    expect(result.wrongGood).toEqual([]);
    expect(result.wrongBad).toEqual([]);
    expect(result.mostAtOnce).toBeLessThanOrEqual(16);
    // The first round begins at once; the second ends within the interval, its jitter, and what a round of the slow takes.
    expect(result.twiceMs).toBeLessThan(INTERVAL_MS * 1.1 + 60_000);
    expect(result.heapGrowthBytes).toBeLessThan(128 * MIB);
    for (const [way, reason] of result.reasons) expect(reason, way).not.toBe('');
  });
});

import { describe, expect, it } from 'vitest';
import { runCounter } from './examples/counter.js';
import { runPipeline } from './examples/pipeline.js';
import { runPool } from './examples/pool.js';

describe('the examples', () => {
  it('counter: starts anew after a crash', async () => {
    expect(await runCounter()).toEqual([11, 11]);
  });

  it('pipeline: computes all, never further ahead than its rings hold', async () => {
    const { sum, furthestAhead } = await runPipeline(10_000);
    expect(sum).toBe((9_999 * 10_000 * 19_999) / 6);
    // Two rings of 256 bytes with records of 12, and one record in each hand.
    expect(furthestAhead).toBeLessThanOrEqual(2 * Math.floor(256 / 12) + 3 * Math.floor(256 / 12));
  });

  it('pool: does every job though workers die', async () => {
    const { sums, restarts } = await runPool(40);
    expect(sums).toEqual(Array.from({ length: 40 }, (_, i) => 2 * i));
    expect(restarts).toBeGreaterThanOrEqual(2);
    expect(restarts).toBeLessThanOrEqual(4);
  });
});

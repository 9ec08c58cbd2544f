// A node that is killed between any two statements of its work, on both databases.
import { afterAll, describe, expect, it } from 'vitest';
import { openKillPlaces, runKillRound } from '../../billing/kill-round.js';

const { places, close } = openKillPlaces();
afterAll(close);

describe.each(places)('a node on $name that is killed', ({ place, skip }) => {
  it.skipIf(skip)(
    'at every statement leaves the books right',
    async () => {
      const { points = 0 } = await runKillRound(await place(0), 100_000);
      expect(points).toBeGreaterThan(60);
      for (let killAt = 1; killAt <= points; killAt++) await runKillRound(await place(killAt), killAt);
    },
    3_600_000,
  );
});

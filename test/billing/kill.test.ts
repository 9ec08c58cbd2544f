import { afterAll, describe, expect, it } from 'vitest';
import { openKillPlaces, runKillRound } from './kill-round.js';

const { places, close } = openKillPlaces();
afterAll(close);

describe.each(places)('a node on $name that is killed', ({ place, skip }) => {
  it.skipIf(skip)(
    'between its statements leaves no hold, loses nothing that it told of, and charges nothing twice',
    async () => {
      const last = await runKillRound(await place(0), 100_000);
      expect(last).toMatchObject({ settled: 2, voided: 2 });
      const points = last.points ?? 0;
      expect(points).toBeGreaterThan(60);
      const seen = new Set<string>();
      // Some of them here; the long suite takes every one.
      for (let killAt = 3; killAt < points; killAt += Math.ceil(points / 9)) {
        const { settled, voided } = await runKillRound(await place(killAt), killAt);
        seen.add(`${settled} ${voided}`);
      }
      // They ended at different moments.
      expect(seen.size).toBeGreaterThan(2);
    },
    240_000,
  );
});

// A node that is killed between any two statements of its work, on both databases.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { killPlaces, runKillRound } from '../../billing/kill-round.js';
import { postgresDatabases } from '../../support/test-databases.js';

const directory = mkdtempSync(join(tmpdir(), 'billing-kills-'));
const databases = postgresDatabases();
afterAll(async () => {
  await databases.close();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(killPlaces(directory, databases))('a node on $name that is killed', ({ place, skip }) => {
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

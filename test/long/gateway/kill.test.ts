import { expect, it } from 'vitest';
import { runKillRounds } from '../../gateway/serving/kill-rounds.js';

it('a gateway that is killed 300 times under load has charged every answer that a client saw', async () => {
  const totals = await runKillRounds(300);
  expect(totals.answers).toBeGreaterThan(3_000);
  // The rounds had something to lose.
  expect(totals.settled).toBeGreaterThan(100);
  expect(totals.voided).toBeGreaterThan(10);
});

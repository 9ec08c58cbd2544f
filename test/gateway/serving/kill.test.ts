import { expect, it } from 'vitest';
import { runKillRounds } from './kill-rounds.js';

it('a gateway that is killed under load has charged every answer that a client saw, and leaves no reservation', async () => {
  const { answers, changes } = await runKillRounds(5);
  expect(answers).toBeGreaterThan(50);
  expect(changes).toBeGreaterThan(5);
});

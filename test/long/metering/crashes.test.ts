import { describe, expect, it } from 'vitest';
import { stores } from '../../../src/metering/index.js';
import { runCrashRound } from '../../metering/crash-round.js';

const ROUNDS = 300;

describe.each(stores.filter((kind) => kind.isAvailable()))('300 processes that are killed, with $name', (store) => {
  it('lose nothing that they acknowledged, leave no reservation, and sound databases', async () => {
    let acknowledged = 0;
    for (let i = 0; i < ROUNDS; i++)
      ({ acknowledged } = {
        acknowledged: acknowledged + (await runCrashRound(store, 1 + ((i * 397) % 500))).acknowledged,
      });
    expect(acknowledged).toBeGreaterThan(ROUNDS * 100);
  });
});

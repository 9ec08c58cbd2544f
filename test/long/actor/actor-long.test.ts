import { describe, expect, it } from 'vitest';
import { checkSupervisor, checkSupervisorBursts } from '../../actor/supervisor-model-run.js';
import { runRingThreads } from '../../actor/ring-threads.js';

describe('the actor runtime, at length', () => {
  it('agrees with the reference model of the supervisor on 10,000 sequences', () => checkSupervisor(10_000), 3_600_000);

  it('comes to rest after 5,000 bursts of failures', () => checkSupervisorBursts(5_000), 3_600_000);

  it.each([
    ['spsc', 1],
    ['mpsc', 3],
  ] as const)(
    'carries 10 million records through a ring of kind %s from %i producers under random stalls',
    async (kind, producers) => {
      const records = 10_000_000;
      const result = await runRingThreads({ kind, producers, records, capacityBytes: 1 << 16, stallEvery: 2_000 });
      expect(result).toMatchObject({ received: records, outOfOrder: 0 });
      expect(result.consumerHash).toBe(result.producerHash);
    },
    1_800_000,
  );
});

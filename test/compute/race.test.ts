import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantiateKernels } from '../../src/compute/devices/cpu/index.js';
import { loadVariant } from '../../src/compute/devices/cpu/kernels/index.js';
import { createRace } from '../../src/compute/devices/cpu/kernels/race.js';

const module = await loadVariant('portable');
let nowMs = 0;
/** Its clock is moved by products only. */
const race = createRace({ nowMs: () => nowMs });
const kernels = instantiateKernels(module, race.createMemory());

/** Costs of contestants whose products take `ms[i](now)` each for q4, and 0.02 ms for q8. */
function raceOf(ms: readonly ((now: number) => number)[]): number[] {
  return race.run(
    ms.map((one) => ({
      ...kernels,
      matmulQ4: () => {
        nowMs += one(nowMs);
      },
      matmulQ8: () => {
        nowMs += 0.02;
      },
    })),
  );
}

describe('the race of the variants', () => {
  it('gives what each takes over the fastest, in the mean of the products', () => {
    const [first, second, third] = raceOf([() => 0.03, () => 0.02, () => 0.04]);
    expect(first).toBeCloseTo((1.5 + 1) / 2, 9);
    expect(second).toBeCloseTo(1, 9);
    expect(third).toBeCloseTo((2 + 1) / 2, 9);
  });

  it('is decided by no change of pace and by no turn in which the machine was away, or fast for a moment', () => {
    fc.assert(
      fc.property(
        // The pace of each of ten milliseconds; the product that is disturbed, and by how much; who is slower.
        fc.array(fc.constantFrom(1, 2), { minLength: 10, maxLength: 10 }),
        fc.nat(60),
        fc.constantFrom(0.1, 8),
        fc.boolean(),
        (paces, disturbedAt, factor, isFirstSlower) => {
          let products = 0;
          const at =
            (ms: number) =>
            (now: number): number => {
              const pace = paces[Math.floor(now) % paces.length] ?? 1;
              return ms * pace * (products++ === disturbedAt ? factor : 1);
            };
          const costs = raceOf(isFirstSlower ? [at(0.026), at(0.02)] : [at(0.02), at(0.026)]);
          const [slower = 0, faster = 0] = isFirstSlower ? costs : costs.toReversed();
          expect(slower).toBeCloseTo(1.15, 9);
          expect(faster).toBeCloseTo(1, 9);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('runs the products of the kernels that it is given', () => {
    const timed = createRace();
    const memory = timed.createMemory();
    const before = Buffer.from(memory.buffer.slice(0));
    const costs = timed.run([instantiateKernels(module, memory), instantiateKernels(module, memory)]);
    expect(costs.every((cost) => cost >= 1 && cost < Infinity)).toBe(true);
    expect(before.equals(Buffer.from(memory.buffer.slice(0)))).toBe(false);
  });
});

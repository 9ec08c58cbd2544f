import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomAt, randomKey } from '../../src/base/index.js';
import { StepTimes } from '../../src/engine/scheduling/step-times.js';

const DECODE_MS = 100;
const ROW_MS = 8;
/** Rows of the prompt by step; each 17th step is without. */
const rowsAt = (step: number): number => (step % 17 === 0 ? 0 : 3 + (step % 5));

/** Steps of 8 decoding rows on a machine whose pace is `paceAt(step)`. */
function learn(times: StepTimes, steps: number, paceAt: (step: number) => number): void {
  for (let step = 0; step < steps; step++)
    times.learn(8, rowsAt(step), paceAt(step) * (DECODE_MS + rowsAt(step) * ROW_MS));
}

describe('step times', () => {
  it('tells what those who decode take, and what a row takes', () => {
    const times = new StepTimes();
    expect(times.isKnown).toBe(false);
    learn(times, 100, () => 1);
    expect(times.isKnown).toBe(true);
    expect(times.decodeMs).toBeCloseTo(DECODE_MS, -1);
    expect(times.rowMs).toBeGreaterThan(0.95 * ROW_MS);
    expect(times.rowMs).toBeLessThan(1.05 * ROW_MS);
  });

  it('takes from prompts that were alone what their rows cost beside others', () => {
    const times = new StepTimes();
    times.learn(0, 128, 128 * ROW_MS);
    times.learn(8, 4, DECODE_MS + 4 * ROW_MS);
    expect(times.rowMs).toBeCloseTo(ROW_MS, 0);
    expect(Math.abs(times.decodeMs - DECODE_MS)).toBeLessThan(20);
  });

  it('keeps their relation on a machine whose pace wanders and jumps', () => {
    const key = randomKey(1);
    const times = new StepTimes();
    let drift = 0;
    const relations: number[] = [];
    for (let stretch = 0; stretch < 30; stretch++) {
      learn(times, 40, (step) => {
        drift += 0.1 * (randomAt(key, stretch * 40 + step) - 0.5);
        return Math.exp(drift) * (stretch % 2 === 0 ? 1 : 2.5);
      });
      relations.push(times.rowMs / times.decodeMs / (ROW_MS / DECODE_MS));
    }
    expect(Math.min(...relations)).toBeGreaterThan(0.6);
    expect(Math.max(...relations)).toBeLessThan(1.5);
  });

  it('follows a pace that has halved within some twenty steps', () => {
    const times = new StepTimes();
    learn(times, 100, () => 1);
    learn(times, 20, () => 2);
    expect(times.decodeMs).toBeGreaterThan(1.7 * DECODE_MS);
    expect(times.decodeMs).toBeLessThan(2.2 * DECODE_MS);
  });

  it('takes a step that was disturbed for little', () => {
    const times = new StepTimes();
    learn(times, 100, () => 1);
    times.learn(8, 4, 20 * (DECODE_MS + 4 * ROW_MS));
    expect(times.decodeMs).toBeLessThan(1.25 * DECODE_MS);
    expect(times.rowMs).toBeLessThan(1.25 * ROW_MS);
  });

  it('has positive finite times for any input', () => {
    const milliseconds = fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e9, noNaN: true }));
    const step = fc.tuple(fc.nat(32), fc.nat(512), milliseconds);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const times = new StepTimes();
        for (const [decodeRows, promptRows, elapsedMs] of steps) times.learn(decodeRows, promptRows, elapsedMs);
        for (const ms of [times.decodeMs, times.rowMs]) {
          expect(ms).toBeGreaterThan(0);
          expect(ms).toBeLessThan(Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 500 },
    );
  });
});

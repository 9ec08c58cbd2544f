import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkChunks } from '../../src/compute/devices/cpu/threads/work-chunks.js';

interface Piece {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
}

/** One pass of `units` by threads that take `msOf(thread)` for each: who did what, and when the last was ready. */
function pass(units: number, msOf: readonly number[]): { pieces: Piece[]; ms: number } {
  const word = new Int32Array(1);
  const workChunks = msOf.map(() => new WorkChunks(word));
  const freeAt = msOf.map(() => 0);
  const pieces: Piece[] = [];
  for (;;) {
    const thread = freeAt.indexOf(Math.min(...freeAt));
    const mine = workChunks[thread] as WorkChunks;
    const start = mine.take(units, msOf.length);
    if (start >= units) return { pieces, ms: Math.max(...freeAt) };
    pieces.push({ thread, start, end: mine.end });
    freeAt[thread] = (freeAt[thread] as number) + (mine.end - start) * (msOf[thread] as number);
  }
}

describe('workChunks', () => {
  it('give every unit to exactly one thread, in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.array(fc.constantFrom(1, 1.5, 7), { minLength: 1, maxLength: 9 }),
        (units, msOf) => {
          const { pieces } = pass(units, msOf);
          let at = 0;
          for (const { start, end } of pieces) {
            expect(start).toBe(at);
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(at).toBe(units);
        },
      ),
    );
  });

  it('end the pass together where cores differ, and cost a few pieces', () => {
    // Two cores, one at half the speed of the other: equal shares would take 512 ms, and 341 is the least.
    const { pieces, ms } = pass(512, [1, 2]);
    expect(ms).toBeLessThan(360);
    expect(pieces.length).toBeLessThan(16);
    expect(pass(512, [1, 1]).ms).toBeLessThanOrEqual(264);
  });

  it('lose no more to a thread that stops than the piece that it has', () => {
    const { pieces } = pass(512, [1, 1e9]);
    expect(pieces.filter(({ thread }) => thread === 1)).toHaveLength(1);
    expect(pieces.find(({ thread }) => thread === 1)).toEqual({ thread: 1, start: 128, end: 224 });
  });

  it('begin anew with each pass', () => {
    const workChunks = new WorkChunks(new Int32Array(1));
    while (workChunks.take(64, 2) < 64);
    expect(workChunks.take(64, 2)).toBeGreaterThanOrEqual(64);
    workChunks.reset();
    expect(workChunks.take(64, 2)).toBe(0);
  });
});

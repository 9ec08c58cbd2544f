// What a chart draws, as numbers: bars upon each other, points that stand alone, and the marks of an axis.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFormats } from '../../../src/pages/data/index.js';
import { countScale, durationScale, moneyScale } from '../../../src/pages/kit/chart/chart-scale.js';
import { highestStack, lonePoints, MIN_BAR, stackBars } from '../../../src/pages/kit/chart/stack-bars.js';

/** One pixel to a value, and ten to a step. */
const PLACE = { middle: (i: number) => 10 * i + 5, stepWidth: 10, heightOf: (value: number) => value, ratio: 1 };
const rowsOfValues = fc
  .integer({ min: 1, max: 20 })
  .chain((length) =>
    fc.array(
      fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), { minLength: length, maxLength: length }),
      { minLength: 1, maxLength: 4 },
    ),
  );

describe('bars', () => {
  it('stand upon each other, at the step of their value', () => {
    const rows = [
      [3, 0, null, 20],
      [4, 5, 6, 0],
    ];
    expect(stackBars(rows, 0, PLACE)).toEqual([
      { left: 1, bottom: 0, width: 8, height: 3 },
      { left: 31, bottom: 0, width: 8, height: 20 },
    ]);
    expect(stackBars(rows, 1, PLACE)).toEqual([
      { left: 1, bottom: 3, width: 8, height: 4 },
      { left: 11, bottom: 0, width: 8, height: 5 },
      { left: 21, bottom: 0, width: 8, height: 6 },
    ]);
    expect(highestStack(rows)).toBe(20);
  });

  it('have pixels for each value that is not zero, and overlap nowhere', () => {
    fc.assert(
      fc.property(rowsOfValues, fc.double({ min: 1e-6, max: 1, noNaN: true }), (rows, scale) => {
        const place = { ...PLACE, heightOf: (value: number) => value * scale };
        const tops = new Map<number, number>();
        for (const [row, values] of rows.entries()) {
          const boxes = stackBars(rows, row, place);
          expect(boxes).toHaveLength(values.filter((value) => value !== null && value > 0).length);
          for (const { left, bottom, height, width } of boxes) {
            expect(height).toBeGreaterThanOrEqual(MIN_BAR);
            expect(width).toBeGreaterThanOrEqual(MIN_BAR);
            expect(bottom).toBeCloseTo(tops.get(left) ?? 0, 6);
            tops.set(left, bottom + height);
          }
        }
      }),
    );
  });

  it('of a year on a narrow screen are seen', () => {
    const [box] = stackBars([[1]], 0, { ...PLACE, stepWidth: 0.7 });
    expect(box?.width).toBe(MIN_BAR);
  });
});

describe('a line', () => {
  it('has a point where a value has none beside it', () => {
    expect(lonePoints([5])).toEqual([0]);
    expect(lonePoints([null, 5, null, 1, 2, null, undefined, 0])).toEqual([1, 7]);
    expect(lonePoints([1, 2, 3])).toEqual([]);
    expect(lonePoints([])).toEqual([]);
  });
});

describe('the marks of an axis', () => {
  const formats = createFormats('en-GB', 'UTC');
  const scales = { counts: countScale(formats), durations: durationScale(formats), euro: moneyScale(formats, 'EUR') };

  it.each(Object.entries(scales))('of %s have a name of their own each', (_, { steps, format }) => {
    fc.assert(
      fc.property(fc.constantFrom(...steps), fc.integer({ min: 1, max: 12 }), (step, count) => {
        const names = Array.from({ length: count + 1 }, (__, i) => format(i * step));
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it.each(Object.entries(scales))('of %s stand closer and closer, and are ascending', (_, { steps }) => {
    for (const [i, step] of steps.entries()) {
      const before = steps[i - 1];
      if (before === undefined) continue;
      expect(step).toBeGreaterThan(before);
      expect(step / before).toBeLessThanOrEqual(6);
    }
  });

  it('of counts are whole numbers, so that one request has 0 and 1', () => {
    expect(scales.counts.steps[0]).toBe(1);
    expect(scales.counts.steps.every(Number.isSafeInteger)).toBe(true);
  });
});

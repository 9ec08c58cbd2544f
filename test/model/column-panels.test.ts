import { describe, expect, it } from 'vitest';
import { columnPanels } from '../../src/model/column-panels.js';

describe('the panels of a wide matrix', () => {
  it('hold each column once, in order, and begin where the largest block of a quant does', () => {
    for (let columns = 1; columns < 40_000; columns += 37) {
      let next = 0;
      const panels = columnPanels('m', columns);
      for (const { start, columns: width } of panels) {
        expect(start).toBe(next);
        expect(start % 256).toBe(0);
        expect(width).toBeGreaterThan(0);
        next += width;
      }
      expect(next).toBe(columns);
      expect(new Set(panels.map(({ name }) => name)).size).toBe(panels.length);
    }
  });

  it('are of about 2,048 columns, where the matrix is wider than half as much again', () => {
    expect(columnPanels('m', 3072)).toEqual([{ name: 'm', start: 0, columns: 3072 }]);
    const widths = (columns: number): number[] => columnPanels('m', columns).map((panel) => panel.columns);
    expect(widths(4096)).toEqual([2048, 2048]);
    expect(widths(4864)).toEqual([1792, 1792, 1280]);
    expect(widths(5632)).toEqual([2048, 2048, 1536]);
    expect(widths(14_336)).toEqual(Array.from({ length: 7 }, () => 2048));
    expect(columnPanels('m', 3073).map(({ name }) => name)).toEqual(['m.0', 'm.1']);
  });
});

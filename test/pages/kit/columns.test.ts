import { describe, expect, it } from 'vitest';
import { fitColumns } from '../../../src/pages/kit/table/fit-columns.js';

const COLUMNS = [
  { id: 'name', width: 14, narrow: 9 },
  { id: 'state', width: 8, narrow: 6 },
  { id: 'size', width: 10, isExtra: true },
  { id: 'address', width: 16 },
  { id: 'id', width: 18, isExtra: true },
];
const fit = (widthRem: number) => {
  const { columns, ...rest } = fitColumns(COLUMNS, widthRem);
  return { ids: columns.map(({ id }) => id), widths: columns.map(({ width }) => width), ...rest };
};

describe('the columns of a table', () => {
  it('are all there where there is space', () => {
    expect(fit(66)).toMatchObject({ ids: ['name', 'state', 'size', 'address', 'id'], widthRem: 66, isNarrow: false });
  });

  it('lose the extra ones from the last on, until the others fit', () => {
    expect(fit(65).ids).toEqual(['name', 'state', 'size', 'address']);
    expect(fit(47).ids).toEqual(['name', 'state', 'address']);
    expect(fit(40)).toMatchObject({ ids: ['name', 'state', 'address'], widthRem: 38 });
  });

  it('of a narrow table are all there, the first ones narrower: it scrolls', () => {
    expect(fit(22)).toEqual({
      ids: ['name', 'state', 'size', 'address', 'id'],
      widths: [9, 6, 10, 16, 18],
      widthRem: 59,
      isNarrow: true,
    });
  });

  it('are all there before the table was measured', () => {
    expect(fit(0)).toMatchObject({ widths: [14, 8, 10, 16, 18], isNarrow: false });
  });
});

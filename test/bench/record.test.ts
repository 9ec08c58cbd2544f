import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { appendResults, parseResults, readResults, selectRun, type ResultLine } from '../../bench/record/results.js';
import { median, orderOfRound, spread } from '../../bench/record/statistics.js';
import { markdownTable } from '../../bench/record/table.js';

const line = (part: string, run: string, value: number): ResultLine => ({
  part,
  run,
  commit: 'abc',
  cpu: 'A CPU',
  cores: 2,
  memoryGiB: 8,
  loadAverage: 0.1,
  otherWork: 0.1,
  measured: { value },
});

it('the median has as many values above as below, and one outlier does not move it', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([10, 11, 12, 13, 1000])).toBe(12);
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const middle = median(values);
      expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
      expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
    }),
  );
});

it('a median or a spread of nothing is refused', () => {
  expect(() => median([])).toThrow(/at least one/);
  expect(() => spread([])).toThrow(/at least one/);
});

it('the spread of equal runs is 0, and grows with their distance', () => {
  expect(spread([5, 5, 5])).toBe(0);
  expect(spread([90, 95, 100, 105, 110])).toBeCloseTo(0.05);
});

it('each round has every contestant once, and within as many rounds as contestants each begins or ends one', () => {
  const names = ['a', 'b', 'c', 'd'];
  const rounds = names.map((_, round) => orderOfRound(names, round));
  for (const order of rounds) expect(order.toSorted()).toEqual(names);
  expect(new Set(rounds.flatMap((order) => [order[0], order.at(-1)])).size).toBe(names.length);
  expect(new Set(rounds.map(String)).size).toBe(names.length);
});

it('a table pads its columns, sets numbers right, escapes bars and shows what is missing as a dash', () => {
  const table = markdownTable(
    ['name', 'value'],
    [
      ['a|b', 1234.5],
      ['c', undefined],
      ['d', 0.12345],
    ],
  );
  expect(table.split('\n')).toEqual([
    '| name | value |',
    '|------|------:|',
    '| a\\|b | 1,235 |',
    '| c    |     – |',
    '| d    | 0.123 |',
  ]);
});

it('results come back as they were added, day after day, and the last run of a part is chosen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-results-'));
  try {
    const lines = [
      line('machine', '2026-01-01T10:00:00Z', 1),
      line('peers', '2026-01-01T10:00:00Z', 2),
      line('machine', '2026-01-02T10:00:00Z', 3),
      line('machine', '2026-01-02T10:00:00Z', 4),
    ];
    await appendResults(folder, lines.slice(0, 2));
    await appendResults(folder, lines.slice(2));
    const read = await readResults(folder);
    expect(read).toEqual(lines);
    expect(selectRun(read, 'machine').map(({ measured }) => measured['value'])).toEqual([3, 4]);
    expect(selectRun(read, 'machine', '2026-01-01T10:00:00Z').map(({ measured }) => measured['value'])).toEqual([1]);
    expect(selectRun(read, 'kernels')).toEqual([]);
    await writeFile(join(folder, 'notes.txt'), 'not results');
    expect(await readResults(folder)).toHaveLength(4);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each(['{', '7', 'null', '{"part":"machine"}', '{"part":1,"run":"x","commit":"c","cpu":"c"}'])(
  'a line of results that is none (%s) is refused with its place',
  (text) => {
    expect(() => parseResults(`${JSON.stringify(line('machine', 'r', 1))}\n${text}\n`, 'day.jsonl')).toThrow(
      'day.jsonl:2',
    );
  },
);

it('there are no results where nothing was measured', async () => {
  expect(await readResults(join(tmpdir(), 'no-such-folder-of-results'))).toEqual([]);
});

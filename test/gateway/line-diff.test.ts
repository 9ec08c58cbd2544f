import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diff } from '../../src/gateway/admin/schemas/configuration.js';
import { Compile } from '../../src/schema/index.js';
import { diffLines } from '../../src/gateway/config/edit/line-diff.js';

/** What the admin API answers. */
const validator = Compile(Diff);
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '  - d', '# e', ''), { maxLength: 40 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

it('has every line of both texts in its place, and no change where there is none', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = diffLines(before, after);
      expect(validator.Check(diff)).toBe(true);
      const { hunks, added, removed, truncated } = diff;
      const [old, now] = [before.split('\n').slice(0, -1), after.split('\n').slice(0, -1)];
      const lines = hunks.flat();
      for (const { kind, before: i, after: j, text: shown } of lines) {
        if (i !== null) expect(old[i - 1]).toBe(shown);
        if (j !== null) expect(now[j - 1]).toBe(shown);
        expect([kind, i === null, j === null]).toEqual([kind, kind === '+', kind === '-']);
      }
      // What is left of the old text is what is left of the new one.
      const gone = new Set(lines.flatMap(({ kind, before: i }) => (kind === '-' ? [i] : [])));
      const come = new Set(lines.flatMap(({ kind, after: j }) => (kind === '+' ? [j] : [])));
      expect(old.filter((_, i) => !gone.has(i + 1))).toEqual(now.filter((_, j) => !come.has(j + 1)));
      expect([added, removed, truncated]).toEqual([come.size, gone.size, false]);
      if (before === after) expect(hunks).toEqual([]);
    }),
  );
});

it('is bounded for files that have nothing in common', () => {
  const lines = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
  const { added, removed, truncated, hunks } = diffLines(lines('before'), lines('after'));
  expect([added, removed, truncated, hunks.flat().length < 5_000]).toEqual([20_000, 20_000, true, true]);
});

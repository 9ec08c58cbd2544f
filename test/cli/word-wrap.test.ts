import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOfText, WordWrap } from '../../src/cli/word-wrap.js';

function wrapped(text: string, columns = 20, cuts: readonly number[] = []): string {
  const flow = new WordWrap(() => columns);
  let [shown, from] = ['', 0];
  for (const to of [...cuts, text.length]) {
    shown += flow.push(text.slice(from, to));
    from = to;
  }
  return shown + flow.end();
}

describe('a text in a window', () => {
  it.each([
    ['ends lines between words', 'one two three four five six', 'one two three four\nfive six'],
    ['fills a line to its last column', 'abcdefghij klmnopqrs tu', 'abcdefghij klmnopqrs\ntu'],
    ['keeps its own lines', 'one\n\n  two\nthree', 'one\n\n  two\nthree'],
    ['leaves a word that is too wide to the terminal', `a ${'x'.repeat(45)} b`, `a\n${'x'.repeat(45)} b`],
    [
      'may end a line between characters of two columns',
      '東京は日本の首都であり人口が多い',
      '東京は日本の首都であ\nり人口が多い',
    ],
    ['counts two columns for each of them', 'Tokyo 東京 Osaka 大阪 x', 'Tokyo 東京 Osaka 大\n阪 x'],
    [
      'counts marks as nothing',
      'cafe\u0301 cafe\u0301 cafe\u0301 cafe\u0301 x',
      'cafe\u0301 cafe\u0301 cafe\u0301 cafe\u0301\nx',
    ],
    ['leaves tables as they are', '| a table | of Markdown | stays |', '| a table | of Markdown | stays |'],
    [
      'leaves code as it is, and goes on behind it',
      '```js\nconst aLongName = anotherLongName;\n```\none two three four five',
      '```js\nconst aLongName = anotherLongName;\n```\none two three four\nfive',
    ],
  ])('%s', (_, text, expected) => {
    expect(wrapped(text)).toBe(expected);
  });

  it('shows a word when it is whole', () => {
    const flow = new WordWrap(() => 20);
    expect([flow.push('one t'), flow.push('wo'), flow.push(' '), flow.push('x'), flow.end()]).toEqual([
      'one',
      '',
      ' two',
      '',
      ' x',
    ]);
  });

  it('goes by the width that the window has now', () => {
    let columns = 40;
    const flow = new WordWrap(() => columns);
    const first = flow.push('one two three four five six ');
    columns = 20;
    expect(first + flow.push('seven eight nine ten eleven twelve\n')).toBe(
      'one two three four five six\nseven eight nine ten\neleven twelve\n',
    );
  });

  const words = fc.array(fc.stringMatching(/^[a-z,.é東]{1,12}$/), { maxLength: 60 });

  it('is the same in pieces of any size, and no line is wider than the window', () => {
    fc.assert(
      fc.property(
        words,
        fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
        fc.integer({ min: 24, max: 60 }),
        (all, cuts, columns) => {
          const text = all.join(' ');
          const places = cuts.filter((at) => at <= text.length).toSorted((a, b) => a - b);
          const shown = wrapped(text, columns, places);
          expect(shown).toBe(wrapped(text, columns));
          for (const line of shown.split('\n')) expect(columnsOfText(line)).toBeLessThanOrEqual(columns);
          expect(shown.replaceAll(/\s/g, '')).toBe(text.replaceAll(' ', ''));
        },
      ),
    );
  });
});

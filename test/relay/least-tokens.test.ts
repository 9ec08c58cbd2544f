// The least tokens of a text: never more than a vocabulary has, and near for ordinary words.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeastTokens } from '../../src/relay/usage/least-tokens.js';

function leastOf(...pieces: readonly string[]): number {
  const least = new LeastTokens();
  for (const piece of pieces) least.add(piece);
  return least.tokens;
}

describe('the least tokens of a text', () => {
  it('are its words, and of words without blanks a part', () => {
    expect(leastOf('')).toBe(0);
    expect(leastOf('The quick brown fox jumps over the lazy dog.')).toBe(9);
    expect(leastOf('word '.repeat(1_500))).toBe(1_500);
    expect(leastOf('für Ärger, и привет мир')).toBe(5);
    expect(leastOf('a-b c_d {"e": 1}')).toBe(4);
  });

  // Each is as long as the longest token that a published vocabulary has of its kind; the number is of such tokens.
  it.each([
    ['blanks', ' '.repeat(128)],
    ['line ends', '\n'.repeat(128)],
    ['a rule', '-'.repeat(128)],
    ['dots', '.'.repeat(128)],
    ['zeros', '0'.repeat(32)],
    ['the same letter', 'M'.repeat(64)],
    ['one letter of hexadecimal', 'A'.repeat(64)],
    ['a long name', 'translatesAutoresizingMaskIntoConstraints'],
    ['accented letters', 'ÃÂ'.repeat(32)],
    ['ideographs', '习近平新时代中国特色社会主义思想'],
    ['kana', 'ありがとうございました'],
    ['Cyrillic', 'џ'.repeat(32)],
    ['emoji', '🔴🔵🌕♓♎⛎🔴🔵🌕♓♎⛎'],
    ['control characters', '\0'.repeat(1_024)],
    ['a word with its blank', ' UnsupportedOperationException'],
    ['signs about a line end', '}\n\n//'],
  ])('are one at most for a token of %s, however many follow each other', (_, token) => {
    for (const count of [1, 2, 7, 100]) expect(leastOf(token.repeat(count))).toBeLessThanOrEqual(count);
  });

  it('are the same wherever the text is cut, and never fall', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(300), { maxLength: 8 }), (whole, cuts) => {
        const at = [0, ...cuts, whole.length].toSorted((a, b) => a - b);
        const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end));
        expect(leastOf(...pieces)).toBe(leastOf(whole));
        const least = new LeastTokens();
        let before = 0;
        for (const piece of pieces) {
          least.add(piece);
          expect(least.tokens).toBeGreaterThanOrEqual(before);
          before = least.tokens;
        }
      }),
    );
  });

  it('are no more than the runs without blanks of a text, and one for 32 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const words = text.split(/[ \t\n\r]+/).length;
        expect(leastOf(text)).toBeLessThanOrEqual(words + text.length / 32);
      }),
    );
  });
});

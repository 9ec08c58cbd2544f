import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesSpec, createWordsOf, openSpec, wordsOf } from './sample.js';

const split = (Regex: string, behavior = 'Isolated', invert = false): object => ({
  type: 'Split',
  pattern: { Regex },
  behavior,
  invert,
});

describe('regular expressions of pre-tokenizers', () => {
  // No spaces in texts or words: wordsOf sees the cuts by the spaces it adds.
  const patterns = [
    'a+|b{2,3}|c',
    '(?:ab|a)(?:c|bcd)?|d+?e',
    '[^ab]+|[ab]',
    'a*b|a|c{0,2}d',
    'a(?!b)|b(?=c)|[a-c]{2}',
    '(a|b|ab)(c|bcd)(d|e)*|e',
    'a{2}|\\x62+|\\u0063',
    '[\\p{L}\\-x]?b|a+?c|d',
    '(?i:ab|C)d?|\\p{Ll}',
    '[a-b\\-c]+|[\\]d]',
  ];

  it.each(patterns)('%s cuts as the regular expressions of JavaScript do', (pattern) => {
    const twin = new RegExp(pattern.replace(/\(\?i:ab\|C\)/, '(?:[aA][bB]|[cC])'), 'gu');
    const cut = createWordsOf([split(pattern)]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'aabbccde-]xAC'), { maxLength: 24 }), (letters) => {
        const text = letters.join('');
        const want: string[] = [];
        let end = 0;
        for (const match of text.matchAll(twin)) {
          if (match.index > end) want.push(text.slice(end, match.index));
          want.push(match[0]);
          end = match.index + match[0].length;
        }
        if (end < text.length) want.push(text.slice(end));
        expect(cut(text)).toEqual(want);
      }),
      { numRuns: 150, seed: 3 },
    );
  });

  it('\\s is White_Space: U+0085 is in it, U+FEFF and U+180E are not', () => {
    expect(wordsOf([split('\\s')], 'a\u0085b\ufeffc\u180ed\u3000e')).toEqual([
      'a',
      '\u0085',
      'b\ufeffc\u180ed',
      '\u3000',
      'e',
    ]);
  });

  it('(?i:…) takes the long s and the Kelvin sign', () => {
    expect(wordsOf([split("(?i:'s|k)")], "x'ſy'Sz\u212aw")).toEqual(['x', "'ſ", 'y', "'S", 'z', '\u212a', 'w']);
  });

  it('classes are those of Unicode 16, whatever the running Node knows', () => {
    expect(wordsOf([split('\\p{L}+')], '1\u{105c0}2\u{11db0}3')).toEqual(['1', '\u{105c0}', '2\u{11db0}3']);
  });

  it('matches merge with neighbours, join, vanish or are inverted as told', () => {
    const text = '--a-b--';
    expect(wordsOf([split('-', 'Isolated')], text)).toEqual(['-', '-', 'a', '-', 'b', '-', '-']);
    expect(wordsOf([split('-', 'Contiguous')], text)).toEqual(['--', 'a', '-', 'b', '--']);
    expect(wordsOf([split('-', 'MergedWithPrevious')], text)).toEqual(['-', '-', 'a-', 'b-', '-']);
    expect(wordsOf([split('-', 'MergedWithNext')], text)).toEqual(['-', '-a', '-b', '-', '-']);
    expect(wordsOf([split('-', 'Removed')], text)).toEqual(['a', 'b']);
    expect(wordsOf([split('-', 'Removed', true)], text)).toEqual(['-', '-', '-', '-', '-']);
  });

  it('a pattern that a backtracking engine would take years for takes no time', () => {
    const text = 'a'.repeat(5000);
    expect(wordsOf([split('(a|a|aa)*b|(?:(?:a+)+)+')], text)).toEqual([text]);
  });

  it.each([
    'a*',
    '(?<=a)b',
    'a++',
    '\\bx',
    '^a',
    '(?!ab)c',
    '\\p{Han}',
    '[[:alpha:]]',
    '\\1',
    '(?<n>a)',
    'a**',
    '(?i:é)',
  ])('%s is refused by name', (pattern) => {
    const spec = bytesSpec({
      pre_tokenizer: { type: 'Sequence', pretokenizers: [split(pattern), { type: 'ByteLevel' }] },
    });
    expect(() => openSpec(spec)).toThrow(expect.objectContaining({ code: 'unsupported_tokenizer' }));
  });

  it.each([
    '(a',
    'a)',
    '[a',
    '*a',
    'a{5,2}',
    '[b-a]',
    '\\',
    '\\p{L',
    'a{1001}',
    '(?:(?:a{90}){90}){90}',
    '('.repeat(40) + ')'.repeat(40),
  ])('%s is invalid', (pattern) => {
    const spec = bytesSpec({
      pre_tokenizer: { type: 'Sequence', pretokenizers: [split(pattern), { type: 'ByteLevel' }] },
    });
    expect(() => openSpec(spec)).toThrow(expect.objectContaining({ code: 'tokenizer_invalid' }));
  });
});

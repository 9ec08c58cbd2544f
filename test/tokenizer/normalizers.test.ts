import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesSpec, openSpec } from './sample.js';

const normalize = (normalizer: object, text: string): string => {
  const tokenizer = openSpec(bytesSpec({ normalizer }));
  return tokenizer.decode(tokenizer.encode(text));
};

describe('normalizers', () => {
  const characters = fc.constantFrom(
    ...'ab e1', '\n', 'é', 'ß', 'Å', 'ﬁ', '각', 'ᄀ', 'ᅡ', 'ᆨ', '中', '\ufa10', 'か', '\u3099', 'Ａ', '½', '😀',
    '\u0301', '\u0323', '\u0345', '\u0334', '\u0f71', '\u0f72', '\u0344', '\u034f', '\u0903', '\u1e9b', '\ud834\udd5e',
  ); // prettier-ignore

  it.each(['NFC', 'NFD', 'NFKC', 'NFKD'])('%s is that of the running Node for characters of Unicode 9', (type) => {
    const tokenizer = openSpec(bytesSpec({ normalizer: { type } }));
    const pieces = fc.oneof(
      characters,
      fc.tuple(characters, fc.integer({ min: 1, max: 90 })).map(([c, n]) => c.repeat(n)),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text.normalize(type));
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  it('characters younger than Unicode 9 stay where they are', () => {
    expect(normalize({ type: 'NFC' }, '\u07ed\u07fda\u0301')).toBe('\u07ed\u07fdá');
    expect(normalize({ type: 'NFKC' }, '\u32ff')).toBe('\u32ff');
    expect(normalize({ type: 'NFC' }, '\u{105d2}\u0307')).toBe('\u{105d2}\u0307');
  });

  it('Lowercase does not look at the neighbours of a sigma', () => {
    expect(normalize({ type: 'Lowercase' }, 'ΟΔΟΣ İ ẞ Ω')).toBe('οδοσ i̇ ß ω');
  });

  it('Replace, Prepend and Strip do what they say', () => {
    expect(normalize({ type: 'Replace', pattern: { String: 'a.' }, content: '-' }, 'a.ab.a.')).toBe('-ab.-');
    expect(normalize({ type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }, 'a   b  c d')).toBe('a b c d');
    expect(normalize({ type: 'Prepend', prepend: '▁' }, 'a')).toBe('▁a');
    expect(normalize({ type: 'Prepend', prepend: '▁' }, '')).toBe('');
    expect(normalize({ type: 'Strip', strip_left: true, strip_right: true }, '\u3000\u0085 a \ufeff \n')).toBe(
      'a \ufeff',
    );
    const both = [{ type: 'Strip', strip_left: true, strip_right: false }, { type: 'Lowercase' }];
    expect(normalize({ type: 'Sequence', normalizers: both }, ' A ')).toBe('a ');
  });

  it('lone surrogates become U+FFFD', () => {
    expect(normalize({ type: 'NFC' }, 'a\ud800b\udc00\ud83d')).toBe('a\ufffdb\ufffd\ufffd');
  });
});

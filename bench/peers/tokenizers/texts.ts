import { randomAt, randomKey } from '../../../src/base/index.js';

/** Blocks of Unicode that stand for their scripts: [first, last], with the unassigned places within them. */
const blocks: readonly (readonly [number, number])[] = [
  [0x41, 0x7a], [0xa0, 0xff], [0x100, 0x24f], [0x250, 0x2af], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x52f],
  [0x530, 0x58f], [0x590, 0x5ff], [0x600, 0x6ff], [0x700, 0x74f], [0x780, 0x7bf], [0x7c0, 0x7ff], [0x900, 0x97f],
  [0x980, 0x9ff], [0xa00, 0xa7f], [0xa80, 0xaff], [0xb00, 0xb7f], [0xb80, 0xbff], [0xc00, 0xc7f], [0xc80, 0xcff],
  [0xd00, 0xd7f], [0xd80, 0xdff], [0xe00, 0xe7f], [0xe80, 0xeff], [0xf00, 0xfff], [0x1000, 0x109f], [0x10a0, 0x10ff],
  [0x1100, 0x11ff], [0x1200, 0x137f], [0x13a0, 0x13ff], [0x1400, 0x167f], [0x1680, 0x169f], [0x16a0, 0x16ff],
  [0x1780, 0x17ff], [0x1800, 0x18af], [0x1e00, 0x1eff], [0x1f00, 0x1fff], [0x2000, 0x206f], [0x2070, 0x209f],
  [0x20a0, 0x20cf], [0x20d0, 0x20ff], [0x2100, 0x214f], [0x2150, 0x218f], [0x2190, 0x21ff], [0x2200, 0x22ff],
  [0x2460, 0x24ff], [0x2500, 0x257f], [0x2600, 0x26ff], [0x2c00, 0x2c5f], [0x2d30, 0x2d7f], [0x3000, 0x303f],
  [0x3040, 0x309f], [0x30a0, 0x30ff], [0x3100, 0x312f], [0x3200, 0x32ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff],
  [0xa000, 0xa48c], [0xa960, 0xa97f], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfb00, 0xfb4f], [0xfe00, 0xfe0f],
  [0xff00, 0xffef], [0x10000, 0x1007f], [0x10300, 0x1034f], [0x10400, 0x1044f], [0x12000, 0x123ff], [0x13000, 0x1342f],
  [0x1d100, 0x1d1ff], [0x1d400, 0x1d7ff], [0x1f1e6, 0x1f1ff], [0x1f300, 0x1f5ff], [0x1f600, 0x1f64f], [0x1f900, 0x1f9ff],
  [0x20000, 0x2a6df], [0xe0020, 0xe007f], [0x10fff0, 0x10ffff],
]; // prettier-ignore

const fragments = [
  "it's", "WE'LL", "they'ſ", "I'M", "'d", '1234567890', '3.14159', '٣٤٥', 'Ⅷ', '½', '\r\n', '\n\n', '\t', '  ', '   ', '\u00a0',
  '\u3000', '\u0085', '\ufeff', '\u180e', '\u200b', '\u200d', '...', '!?', '--', '({[', '</div>', '<|im_start|>', '<think>',
  '<|eot_id|>', 'the', ' of', ' and', 'function', 'return', '==', '=>', '//', '#include', 'https://example.org/a?b=c&d=1',
  'user@example.com', 'Ünïcödé', 'e\u0301', 'Å', '각', '각', 'ﬁ', '👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇳🇴', '\u0000', '\u0007', '\ufffd',
]; // prettier-ignore

/** `count` texts, the same for the same seed: words of one or several scripts, with fragments that tokenizers stumble on. */
export function generateTexts(count: number, seed: number): string[] {
  const key = randomKey(seed);
  let counter = 0;
  const below = (limit: number): number => Math.floor(randomAt(key, counter++) * limit);
  const letters = (block: readonly [number, number]): string => {
    let word = '';
    for (let i = 1 + below(8); i > 0; i--) word += String.fromCodePoint(block[0] + below(block[1] - block[0] + 1));
    return word;
  };
  return Array.from({ length: count }, () => {
    const home = blocks[below(blocks.length)] ?? [0x41, 0x5a];
    const parts: string[] = [];
    for (let i = below(24); i >= 0; i--) {
      const kind = below(10);
      if (kind < 5) parts.push(letters(home));
      else if (kind < 7) parts.push(letters(blocks[below(blocks.length)] ?? home));
      else if (kind < 9) parts.push(fragments[below(fragments.length)] ?? '');
      else parts.push(String(below(1_000_000)));
      if (below(3) > 0) parts.push(' ');
    }
    return parts.join('');
  });
}

/** Some `units` of text as people and programs write it: prose in several languages, code, tables, from `sources`. */
export function joinSources(sources: readonly string[], units: number): string {
  const whole = sources.join('\n');
  return whole.repeat(Math.ceil(units / Math.max(1, whole.length))).slice(0, units);
}

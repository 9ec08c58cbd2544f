import { createClassTable } from './class-table.js';
import { unionOf, type CategoryLookup, type CodePointSet } from './code-points.js';

const CONTROL = 1;
const JOINED = 2;
const BEFORE = 4;

/**
 * Code points besides marks that join the character before them: joiners, vowels of Thai and Lao, sound marks, skin
 * tones, tags.
 */
const moreJoined: CodePointSet = [
  0xe33, 0xe33, 0xeb3, 0xeb3, 0x200c, 0x200d, 0xff9e, 0xff9f, 0x1f3fb, 0x1f3ff, 0xe0020, 0xe007f,
];

/** Marks that stand alone. */
const standing: CodePointSet = [
  0x102b, 0x102c, 0x1038, 0x1038, 0x1062, 0x1064, 0x1067, 0x106d, 0x1083, 0x1083, 0x1087, 0x108c, 0x108f, 0x108f,
  0x109a, 0x109c, 0x1a61, 0x1a61, 0x1a63, 0x1a64, 0xaa7b, 0xaa7b, 0xaa7d, 0xaa7d, 0x11720, 0x11721,
];

/** Signs that join the character after them. */
const prepended: CodePointSet = [
  0x600, 0x605, 0x6dd, 0x6dd, 0x70f, 0x70f, 0x890, 0x891, 0x8e2, 0x8e2, 0xd4e, 0xd4e, 0x110bd, 0x110bd, 0x110cd,
  0x110cd, 0x111c2, 0x111c3, 0x113d1, 0x113d1, 0x1193f, 0x1193f, 0x11941, 0x11941, 0x11a3a, 0x11a3a, 0x11a84, 0x11a89,
  0x11d46, 0x11d46, 0x11f02, 0x11f02,
];

/** Controls that no category has: ignorable code points that are not assigned. */
const moreControls: CodePointSet = [0x2065, 0x2065, 0xe0000, 0xe001f, 0xe0080, 0xe00ff, 0xe01f0, 0xe0fff];

/**
 * Finds the end of the grapheme cluster at a position. Correct for clusters below 6 bytes of UTF-8, the only ones that
 * are looked up: longer ones (syllables of Hangul jamo, conjuncts, joined emoji, flags) may be split. Source: Unicode
 * Standard Annex 29, Unicode 16.
 */
export function createClusterFinder(categoryOf: CategoryLookup): (text: string, start: number) => number {
  const setOf = (names: readonly string[], more: CodePointSet): CodePointSet =>
    unionOf([...names.map((name) => categoryOf(name) ?? []), more]);
  const sets = [setOf(['Cc', 'Cf', 'Zl', 'Zp'], moreControls), setOf(['M'], moreJoined), standing, prepended];
  const { pageOf, pages, count, holds } = createClassTable(sets);
  const kinds = Uint8Array.from({ length: count }, (_, number) => {
    if (holds(number, 3)) return BEFORE;
    if (holds(number, 1)) return holds(number, 2) ? 0 : JOINED;
    return holds(number, 0) ? CONTROL : 0;
  });
  const kindOf = (code: number): number =>
    kinds[pages[((pageOf[code >> 8] as number) << 8) | (code & 255)] as number] as number;

  return (text, start) => {
    let at = start;
    let before: number;
    do {
      const code = text.codePointAt(at) ?? 0;
      if (code === 0x0d && at === start && text.charCodeAt(at + 1) === 0x0a) return at + 2;
      before = kindOf(code);
      if (before === CONTROL) return at === start ? at + 1 + Number(code > 0xffff) : at;
      at += code > 0xffff ? 2 : 1;
    } while (before === BEFORE && at < text.length);
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      if (code < 0x300 || kindOf(code) !== JOINED) break;
      at += code > 0xffff ? 2 : 1;
    }
    return at;
  };
}

import { toIndex, toList } from '../json.js';
import type { Pieces } from '../pre-tokenizers/index.js';
import { codePointBefore } from '../units.js';

/**
 * Where a text may be cut into words that are encoded on their own. Merging is local: two characters are parted for good
 * when no token that merging can make has both in a row. So a text can be cut before each ▁, but for those behind a
 * character that some token has before a ▁ (another ▁, in runs of spaces). Words come again, and their ids are remembered.
 */
const SPACE = 0x2581; // ▁

/** More characters than this before a ▁: the vocabulary has words of several words, and cutting gains little. */
const MAX_GLUED = 256;

const LAST_CODE_POINT = 0x10ffff;

/** The characters that stand before a ▁ in some of `tokens`; null when there are too many. */
export function findGlued(tokens: Iterable<string>): readonly number[] | null {
  const glued = new Set<number>();
  for (const token of tokens) {
    for (let at = token.indexOf('▁', 1); at > 0; at = token.indexOf('▁', at + 1)) {
      glued.add(
        Array.from(token.slice(Math.max(0, at - 2), at))
          .at(-1)
          ?.codePointAt(0) ?? 0,
      );
    }
  }
  return glued.size > MAX_GLUED ? null : [...glued];
}

/** Cuts words before each ▁ where that changes no id; `settings` is what `findGlued` found. Undefined: never. */
export function readSpaceCut(settings: unknown, where: string): ((pieces: Pieces) => Pieces) | undefined {
  if (settings === null || settings === undefined) return undefined;
  const glued = new Set(toList(settings, where, MAX_GLUED).map((each) => toIndex(each, where, LAST_CODE_POINT + 1)));
  return ({ units, bounds, begins }) => {
    const cut: number[] = [];
    for (let i = 0; i < bounds.length; i += 2) {
      let start = bounds[i] as number;
      const end = bounds[i + 1] as number;
      for (let at = start + 1; at < end; at++) {
        if (units[at] !== SPACE || glued.has(codePointBefore(units, at))) continue;
        cut.push(start, at);
        start = at;
      }
      cut.push(start, end);
    }
    return { units, bounds: cut, begins };
  };
}

import { toIndex, toList } from '../file/json.js';
import type { TokenContents } from '../tokens/token-contents.js';
import type { Pieces } from '../pre-tokenizers/index.js';
import { codePointBefore } from '../text/units.js';

/**
 * Where a text may be cut into words that are encoded separately. Merging is local: two characters are never merged
 * when no reachable token has both in a row. So a text can be cut before each ▁, except after a character that some
 * token has before a ▁ (another ▁, in runs of spaces). Words repeat, and their ids are cached.
 */
const SPACE = 0x2581; // ▁

/** More characters than this before a ▁: the vocabulary has words of several words, and cutting gains little. */
const MAX_GLUED = 256;

const LAST_CODE_POINT = 0x10ffff;

/** The characters before a ▁ in the tokens that `isIn` accepts; null when there are too many. */
export function findGlued(vocabulary: TokenContents, isIn: (id: number) => boolean): readonly number[] | null {
  const { bytes, ids, starts, ends } = vocabulary;
  const glued = new Set<number>();
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    const start = starts[id] as number;
    const end = ends[id] as number;
    for (let at = start + 1; at + 2 < end; at++) {
      // ▁ in UTF-8.
      if (bytes[at] !== 0xe2 || bytes[at + 1] !== 0x96 || bytes[at + 2] !== 0x81 || !isIn(id)) continue;
      let before = at - 1;
      while (((bytes[before] as number) & 0xc0) === 0x80) before--;
      glued.add(Buffer.from(bytes.subarray(before, at)).toString().codePointAt(0) ?? 0);
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

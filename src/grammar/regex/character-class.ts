import { complementSet, toCodePointSet, uniteSets, type CodePointRanges } from '../regular/index.js';
import { takeCharacterEscape, takeClassEscape } from './escapes.js';
import type { Source } from './source.js';

/** The code points of `[…]`, after its bracket. Errors: `invalid_regex`. */
export function takeCharacterClass(source: Source, properties: Map<string, CodePointRanges>): CodePointRanges {
  const isNegated = source.takeIf('^');
  const ranges: [number, number][] = [];
  const sets: CodePointRanges[] = [];
  while (!source.takeIf(']')) {
    const from = takeMember(source, properties);
    if (typeof from !== 'number') {
      sets.push(from);
      continue;
    }
    if (source.peek() !== '-' || source.peek(1) === ']' || source.peek(1) === '') {
      ranges.push([from, from]);
      continue;
    }
    source.take();
    const to = takeMember(source, properties);
    if (typeof to !== 'number') {
      // `[a-\d]`: not a range, so the hyphen is one of the members.
      ranges.push([from, from], [0x2d, 0x2d]);
      sets.push(to);
    } else if (to < from) {
      source.fail('a range of a class ends before it begins');
    } else ranges.push([from, to]);
  }
  const set = uniteSets(toCodePointSet(ranges), ...sets);
  return isNegated ? complementSet(set) : set;
}

/** One code point, or the set of an escape. */
function takeMember(source: Source, properties: Map<string, CodePointRanges>): number | CodePointRanges {
  if (source.peek() === '') return source.fail('a class has no closing bracket');
  if (!source.takeIf('\\')) return source.take().codePointAt(0) ?? 0;
  if (source.takeIf('b')) return 0x08;
  return takeClassEscape(source, properties) ?? takeCharacterEscape(source);
}

import { tokenizerInvalid } from '../errors.js';
import type { Regex } from '../regex/regex.js';
import type { Pieces } from './pre-tokenizer.js';

/** The use of a pattern's matches: a piece, nothing, part of a neighbour, or one piece with adjacent matches. */
export type Behavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

const behaviors: readonly Behavior[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

/** `value` as a behaviour. Errors: `tokenizer_invalid`. */
export function toBehavior(value: unknown, where: string): Behavior {
  const found = behaviors.find((each) => each === value);
  if (found === undefined)
    throw tokenizerInvalid(where, `is ${JSON.stringify(value)}, not one of ${behaviors.join(', ')}`);
  return found;
}

/** Cuts each piece at the matches of `regex`; with `invert` the text between the matches counts as the matches. */
export function cutPieces(pieces: Pieces, regex: Regex, behavior: Behavior, invert: boolean): Pieces {
  const { units, bounds, begins } = pieces;
  const cut: number[] = [];
  for (let i = 0; i < bounds.length; i += 2) {
    const start = bounds[i] as number;
    const end = bounds[i + 1] as number;
    if (behavior === 'Isolated') cutIsolated(units, start, end, regex, cut);
    else cutOtherwise(units, start, end, regex, behavior, invert, cut);
  }
  return { units, bounds: cut, begins: begins && cut[0] === bounds[0] };
}

/** Matches and what lies between them are pieces alike: the case of nearly all byte-level tokenizers. */
function cutIsolated(units: Uint16Array, start: number, end: number, regex: Regex, cut: number[]): void {
  let gap = start;
  for (let at = start; at < end;) {
    const stop = regex.matchEnd(units, at, end);
    if (stop < 0) {
      at += (units[at] as number) >> 10 === 0x36 ? 2 : 1; // a surrogate pair is one character
      continue;
    }
    if (gap < at) cut.push(gap, at);
    cut.push(at, stop);
    at = gap = stop;
  }
  if (gap < end) cut.push(gap, end);
}

function cutOtherwise(
  units: Uint16Array,
  start: number,
  end: number,
  regex: Regex,
  behavior: Behavior,
  invert: boolean,
  cut: number[],
): void {
  const parts: { start: number; end: number; matched: boolean }[] = [];
  let gap = start;
  for (let at = start; at < end;) {
    const stop = regex.matchEnd(units, at, end);
    if (stop < 0) {
      at += (units[at] as number) >> 10 === 0x36 ? 2 : 1;
      continue;
    }
    if (gap < at) parts.push({ start: gap, end: at, matched: invert });
    parts.push({ start: at, end: stop, matched: !invert });
    at = gap = stop;
  }
  if (gap < end) parts.push({ start: gap, end, matched: invert });

  parts.forEach((part, i) => {
    const before = parts[i - 1]?.matched;
    const joins =
      (behavior === 'Contiguous' && before === part.matched) ||
      (behavior === 'MergedWithPrevious' && part.matched && before === false) ||
      (behavior === 'MergedWithNext' && before === true && !part.matched);
    if (behavior === 'Removed' && part.matched) return;
    if (joins) cut[cut.length - 1] = part.end;
    else cut.push(part.start, part.end);
  });
}

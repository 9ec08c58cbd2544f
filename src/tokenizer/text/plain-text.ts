import { createCutter, type AddedToken, type Cutter, type IsText } from '../tokens/added-tokens.js';
import type { CategoryLookup } from '../unicode/code-points.js';
import { normalizeUnits, type Normalizer } from '../normalizers/index.js';

/**
 * Where the text of a control token is text: everywhere, or where one of these offsets (UTF-16 units, ascending) lies
 * inside of it. Inside is strictly between its ends. A token of one character has no inside, and is text where both its
 * ends are given.
 */
export type PlainText = 'everywhere' | ArrayLike<number>;

/** Reads `plain` for tokens that are sought in the text as it came. */
export function toIsText(plain: PlainText): IsText {
  if (plain === 'everywhere') return () => true;
  return ({ content }, start, end) => {
    const first = lowerBound(plain.length, (i) => (plain[i] as number) >= start);
    const after = plain[first] === start ? first + 1 : first;
    const next = plain[after] ?? Infinity;
    return next < end || (next === end && after > first && isOneCharacter(content));
  };
}

/** A control token of the text before it was normalised, at its place in the normalised one. */
interface Own {
  readonly id: number;
  readonly at: number;
}

/** Finds which control tokens of a normalised text stood in the text before. */
export type FindOwn = (units: Uint16Array, start: number, end: number, normalized: Uint16Array, raw: IsText) => IsText;

/**
 * For tokens that are searched in the normalised text. Text that only normalising turns into a control token
 * (`<|IM_END|>` in small letters, or in wide ones) is text: a control token is one in the written text, and not one by
 * `raw`. A noncharacter before it shows its position after the normaliser.
 */
export function createOwnFinder(
  tokens: readonly AddedToken[],
  isControl: (token: AddedToken) => boolean,
  normalizer: Normalizer,
  categoryOf: CategoryLookup,
): FindOwn {
  // As written: without the white space and the neighbours that a token takes or minds.
  const written = tokens.map((token) => ({ ...token, lstrip: false, rstrip: false, singleWord: false }));
  const seek = createCutter(written, ({ content }) => content, isControl, categoryOf);
  return (units, start, end, normalized, raw) => {
    const part = units.subarray(start, end);
    const own = seek === undefined ? [] : findOwn(seek, part, normalized, normalizer, shift(raw, start));
    return ({ id }, from, to) => {
      for (let i = lowerBound(own.length, (k) => (own[k] as Own).at >= from); i < own.length; i++) {
        const { id: ownId, at } = own[i] as Own;
        if (at >= to) return true;
        if (ownId === id) return false;
      }
      return true;
    };
  };
}

/** `isText` for a text that begins at `offset` of the one it is for. */
export function shift(isText: IsText, offset: number): IsText {
  return offset === 0 ? isText : (token, start, end) => isText(token, start + offset, end + offset);
}

function findOwn(
  seek: Cutter,
  raw: Uint16Array,
  normalized: Uint16Array,
  normalizer: Normalizer,
  isText: IsText,
): Own[] {
  const found: Own[] = [];
  const note = (id: number, start: number): void => {
    if (id >= 0) found.push({ id, at: start });
  };
  seek.cut(raw, raw.length, note, isText);
  if (found.length === 0) return found;
  const places =
    markedPlaces(raw, found, normalized, normalizer) ?? found.map(({ at }) => lengthOf(raw, at, normalizer));
  return found.map(({ id }, i) => ({ id, at: places[i] as number }));
}

/** The normalised positions of `found`; undefined when the marks change the normaliser's result. */
function markedPlaces(
  raw: Uint16Array,
  found: readonly Own[],
  normalized: Uint16Array,
  normalizer: Normalizer,
): number[] | undefined {
  const mark = NONCHARACTERS.find((unit) => !raw.includes(unit) && !normalized.includes(unit));
  if (mark === undefined) return undefined;
  const marked = new Uint16Array(raw.length + found.length);
  let from = 0;
  found.forEach(({ at }, i) => {
    marked.set(raw.subarray(from, at), from + i);
    marked[at + i] = mark;
    from = at;
  });
  marked.set(raw.subarray(from), from + found.length);
  const both = normalizeUnits(marked, 0, marked.length, normalizer) ?? marked;
  const places: number[] = [];
  both.forEach((unit, i) => {
    if (unit === mark) places.push(i - places.length);
  });
  const rest = both.filter((unit) => unit !== mark);
  const same = rest.length === normalized.length && rest.every((unit, i) => unit === normalized[i]);
  return same && places.length === found.length ? places : undefined;
}

/** The length of the normalised text before `at`. */
function lengthOf(raw: Uint16Array, at: number, normalizer: Normalizer): number {
  return normalizeUnits(raw, 0, at, normalizer)?.length ?? at;
}

/** The noncharacters of the basic plane: Unicode never gives them a meaning, and no normalisation form changes them. */
const NONCHARACTERS: readonly number[] = [...Array.from({ length: 32 }, (_, i) => 0xfdd0 + i), 0xfffe, 0xffff];

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

/** The first of `count` indexes for which `holds`, which then holds for all later ones; `count` when it never does. */
function lowerBound(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

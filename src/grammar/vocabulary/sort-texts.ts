import { sortKeys, toKeys, type SortedTexts, type TrieTexts } from './sort-keys.js';

/** Up to so many texts are sorted by insertion: counting costs a pass over 257 counts. */
const FEW = 24;
/** Texts that begin alike for longer are compared, so that recursion is bounded. */
const MAX_DEPTH = 64;
/** Counts of a byte's values, and of the texts that end before it. */
const COUNTS = 257;

/**
 * The texts in the order of their bytes, shorter ones first, then of their ids. A radix sort orders their first eight
 * bytes, whose memory is read in a row. A second one orders texts that begin alike from the first byte on. Source:
 * McIlroy, Bostic, McIlroy, "Engineering Radix Sort" (1993).
 */
export function sortTexts(texts: TrieTexts): SortedTexts {
  const sorted = sortKeys(toKeys(texts));
  const { order, heads, tails } = sorted;
  const places = Array.from({ length: MAX_DEPTH }, () => new Int32Array(0));
  const sorting: Sorting = { texts, order, spare: new Int32Array(order.length), places };
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && heads[to] === heads[from] && tails[to] === tails[from]) to++;
    // Zeros may be bytes of a text or lie beyond its end.
    if (to - from > 1) sortFrom(sorting, from, to, 0);
  }
  return sorted;
}

/** A sort under way. */
interface Sorting {
  readonly texts: TrieTexts;
  readonly order: Int32Array;
  /** As long as `order`. */
  readonly spare: Int32Array;
  /** For each depth, where texts begin by the value of their byte there; made when first needed. */
  readonly places: Int32Array[];
}

/** Sorts `order[from, to)`, whose texts are alike in their first `depth` bytes. */
function sortFrom(sorting: Sorting, from: number, to: number, depth: number): void {
  const { texts, order, spare } = sorting;
  if (to - from <= FEW) return insert(texts, order, from, to, depth);
  if (depth === MAX_DEPTH) {
    order.subarray(from, to).sort((a, b) => compareTexts(texts, a, b, depth));
    return;
  }
  const places = placesAt(sorting, depth);
  for (let i = from; i < to; i++) {
    const after = valueAt(texts, order[i] as number, depth) + 1;
    places[after] = (places[after] as number) + 1;
  }
  for (let value = 1; value <= COUNTS; value++) {
    places[value] = (places[value] as number) + (places[value - 1] as number);
  }
  for (let i = from; i < to; i++) {
    const text = order[i] as number;
    const value = valueAt(texts, text, depth);
    const place = places[value] as number;
    spare[from + place] = text;
    // From where the texts of a value begin to where they end.
    places[value] = place + 1;
  }
  for (let i = from; i < to; i++) order[i] = spare[i] as number;
  // Texts that end here are equal.
  sortByIds(texts, order, from, from + (places[0] as number));
  for (let value = 1; value < COUNTS; value++) {
    const first = from + (places[value - 1] as number);
    const last = from + (places[value] as number);
    if (last - first > 1) sortFrom(sorting, first, last, depth + 1);
  }
}

/** Counts of zero for a depth: each deeper level has its own. */
function placesAt({ places }: Sorting, depth: number): Int32Array {
  if (places[depth]?.length === 0) places[depth] = new Int32Array(COUNTS + 1);
  return (places[depth] as Int32Array).fill(0);
}

/** The byte of a text after `depth` others, from 1 on; 0 where it ends there. */
function valueAt({ bytes, starts, ends }: TrieTexts, text: number, depth: number): number {
  const at = (starts[text] as number) + depth;
  return at < (ends[text] as number) ? (bytes[at] as number) + 1 : 0;
}

function sortByIds({ ids }: TrieTexts, order: Int32Array, from: number, to: number): void {
  if (to - from > 1) order.subarray(from, to).sort((a, b) => (ids[a] as number) - (ids[b] as number));
}

function insert(texts: TrieTexts, order: Int32Array, from: number, to: number, depth: number): void {
  for (let i = from + 1; i < to; i++) {
    const text = order[i] as number;
    let at = i;
    while (at > from && compareTexts(texts, order[at - 1] as number, text, depth) > 0) {
      order[at] = order[at - 1] as number;
      at--;
    }
    order[at] = text;
  }
}

/** Of two texts that are alike in their first `depth` bytes. */
function compareTexts({ bytes, starts, ends, ids }: TrieTexts, a: number, b: number, depth: number): number {
  const startA = starts[a] as number;
  const startB = starts[b] as number;
  const lengthA = (ends[a] as number) - startA;
  const lengthB = (ends[b] as number) - startB;
  const shorter = Math.min(lengthA, lengthB);
  for (let i = depth; i < shorter; i++) {
    const difference = (bytes[startA + i] as number) - (bytes[startB + i] as number);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB || (ids[a] as number) - (ids[b] as number);
}

/** Texts by their bytes: text `i` is `bytes[starts[i], ends[i])`, and stands for the token `ids[i]`. */
export interface TrieTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly ids: Int32Array;
}

/** Up to so many texts are sorted by insertion: counting costs a pass over 257 counts. */
const FEW = 24;
/** Texts that begin alike for longer are compared, so that recursion is bounded. */
const MAX_DEPTH = 64;
/** Counts of a byte's values, and of the texts that end before it. */
const COUNTS = 257;

/**
 * The texts in the order of their bytes, shorter ones first, then of their ids: a radix sort from the first byte on. Source:
 * McIlroy, Bostic, McIlroy, "Engineering Radix Sort" (1993).
 */
export function sortTexts(texts: TrieTexts): Int32Array {
  const order = new Int32Array(texts.ids.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  sortFrom(texts, order, order.slice(), 0, order.length, 0);
  return order;
}

/** Sorts `order[from, to)`, whose texts are alike in their first `depth` bytes. `spare` is as long as `order`. */
function sortFrom(
  texts: TrieTexts,
  order: Int32Array,
  spare: Int32Array,
  from: number,
  to: number,
  depth: number,
): void {
  if (to - from <= FEW) return insert(texts, order, from, to, depth);
  if (depth === MAX_DEPTH) {
    order.subarray(from, to).sort((a, b) => compareTexts(texts, a, b, depth));
    return;
  }
  const { bytes, starts, ends } = texts;
  /** Where the texts with each value begin, and then end, in `order`. */
  const places = new Int32Array(COUNTS + 1);
  const valueOf = (text: number): number => {
    const at = (starts[text] as number) + depth;
    return at < (ends[text] as number) ? (bytes[at] as number) + 1 : 0;
  };
  for (let i = from; i < to; i++) {
    const after = valueOf(order[i] as number) + 1;
    places[after] = (places[after] as number) + 1;
  }
  for (let value = 0; value < COUNTS; value++) places[value + 1] = (places[value + 1] as number) + (places[value] as number);
  for (let i = from; i < to; i++) {
    const text = order[i] as number;
    const value = valueOf(text);
    const place = places[value] as number;
    spare[from + place] = text;
    places[value] = place + 1;
  }
  for (let i = from; i < to; i++) order[i] = spare[i] as number;
  // Those that end here are equal: by their ids.
  insertByIds(texts, order, from, from + (places[0] as number));
  for (let value = 1; value < COUNTS; value++) {
    const first = from + (places[value - 1] as number);
    const last = from + (places[value] as number);
    if (last - first > 1) sortFrom(texts, order, spare, first, last, depth + 1);
  }
}

function insertByIds({ ids }: TrieTexts, order: Int32Array, from: number, to: number): void {
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

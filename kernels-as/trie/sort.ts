import { keyAt, KEY_BYTES, ROW_BYTES } from './rows';

// Rows in the order of their texts' bytes, shorter texts first, then ids: each step keeps the order of equal rows, and they come by
// id. Eight bytes at a time: a radix sort from their last byte on (D. Knuth, The Art of Computer Programming 3, 5.2.5), or by
// insertion where rows are few. What is alike in them is sorted by its next eight. The time grows with the bytes of all texts.

/** Up to so many rows are sorted by insertion: counting costs a pass over 2,048 counts. */
const FEW: i32 = 32;
/** Bytes of the counts of one byte's values; `counts` has room for those of a key. */
const COUNTS_BYTES: usize = 256 * 4;

/**
 * Sorts `count` rows, whose texts are alike in their first `depth` bytes and whose keys are those behind. `spare` has room for as
 * many rows, `counts` for 8 KiB.
 */
export function sortRows(
  offsets: usize,
  texts: usize,
  rows: usize,
  count: i32,
  depth: i32,
  spare: usize,
  counts: usize,
): void {
  if (count <= FEW) insertRows(rows, count);
  else sortKeys(rows, count, spare, counts);
  const end = rows + usize(count) * ROW_BYTES;
  for (let from = rows; from < end;) {
    const key = load<u64>(from);
    let to = from + ROW_BYTES;
    while (to < end && load<u64>(to) === key) to += ROW_BYTES;
    const alike = i32((to - from) >> 4);
    if (alike > 1) sortAlike(offsets, texts, from, alike, depth + KEY_BYTES, spare, counts);
    from = to;
  }
}

/** Sorts rows that have the same key, which ends at `depth`. Zeros in it may be bytes of a text or stand behind its end. */
function sortAlike(
  offsets: usize,
  texts: usize,
  rows: usize,
  count: i32,
  depth: i32,
  spare: usize,
  counts: usize,
): void {
  const ended = sortEnded(offsets, rows, count, depth, spare, counts);
  const left = count - ended;
  if (left < 2) return;
  const first = rows + usize(ended) * ROW_BYTES;
  for (let i: i32 = 0; i < left; i++) {
    const row = first + usize(i) * ROW_BYTES;
    store<u64>(row, keyAt(texts + load<u32>(row, 8) + depth, lengthOf(offsets, row) - depth));
  }
  sortRows(offsets, texts, first, left, depth, spare, counts);
}

/** Puts those that end within the key first, by their length; gives how many. */
function sortEnded(offsets: usize, rows: usize, count: i32, depth: i32, spare: usize, counts: usize): i32 {
  let ended: i32 = 0;
  for (let i: i32 = 0; i < count; i++) ended += i32(lengthOf(offsets, rows + usize(i) * ROW_BYTES) <= depth);
  if (ended === 0) return 0;
  // By how many bytes of the key they have, those that go on last.
  memory.fill(counts, 0, 40);
  for (let i: i32 = 0; i < count; i++) {
    const place = counts + (usize(classOf(offsets, rows + usize(i) * ROW_BYTES, depth)) << 2);
    store<i32>(place, load<i32>(place) + 1);
  }
  toStarts(counts, 10);
  for (let i: i32 = 0; i < count; i++) {
    const row = rows + usize(i) * ROW_BYTES;
    putRow(row, spare, counts + (usize(classOf(offsets, row, depth)) << 2));
  }
  memory.copy(rows, spare, usize(count) * ROW_BYTES);
  return ended;
}

/** Bytes that a text has of the key which ends at `depth`, from 1 to 8; 9 where it goes on. */
function classOf(offsets: usize, row: usize, depth: i32): i32 {
  return min(lengthOf(offsets, row) - depth + KEY_BYTES, KEY_BYTES + 1);
}

function lengthOf(offsets: usize, row: usize): i32 {
  return load<i32>(offsets + (usize(load<u32>(row, 12)) << 2) + 4) - load<i32>(row, 8);
}

function insertRows(rows: usize, count: i32): void {
  const end = rows + usize(count) * ROW_BYTES;
  for (let row = rows + ROW_BYTES; row < end; row += ROW_BYTES) {
    const key = load<u64>(row);
    const own = load<u64>(row, 8);
    let at = row;
    while (at > rows && load<u64>(at - ROW_BYTES) > key) {
      store<u64>(at, load<u64>(at - ROW_BYTES));
      store<u64>(at, load<u64>(at - ROW_BYTES, 8), 8);
      at -= ROW_BYTES;
    }
    store<u64>(at, key);
    store<u64>(at, own, 8);
  }
}

/** Sorts by whole keys. A byte that all have alike costs nothing but counting. */
function sortKeys(rows: usize, count: i32, spare: usize, counts: usize): void {
  memory.fill(counts, 0, 8 * COUNTS_BYTES);
  countBytes(rows, count, counts);
  let from = rows;
  let to = spare;
  for (let byte: i32 = 0; byte < KEY_BYTES; byte++) {
    const own = counts + usize(byte) * COUNTS_BYTES;
    const shift = u64(byte) << 3;
    if (load<i32>(own + (usize((load<u64>(from) >> shift) & 255) << 2)) === count) continue;
    toStarts(own, 256);
    scatter(from, to, count, shift, own);
    const sorted = to;
    to = from;
    from = sorted;
  }
  if (from !== rows) memory.copy(rows, from, usize(count) * ROW_BYTES);
}

function countBytes(rows: usize, count: i32, counts: usize): void {
  for (let i: i32 = 0; i < count; i++) {
    let key = load<u64>(rows + usize(i) * ROW_BYTES);
    for (let own = counts; own < counts + 8 * COUNTS_BYTES; own += COUNTS_BYTES) {
      const place = own + (usize(key & 255) << 2);
      store<i32>(place, load<i32>(place) + 1);
      key >>= 8;
    }
  }
}

/** Counts become where those of each value begin. */
function toStarts(counts: usize, values: i32): void {
  let start: i32 = 0;
  for (let value: i32 = 0; value < values; value++) {
    const place = counts + (usize(value) << 2);
    const count = load<i32>(place);
    store<i32>(place, start);
    start += count;
  }
}

function scatter(from: usize, to: usize, count: i32, shift: u64, starts: usize): void {
  for (let i: i32 = 0; i < count; i++) {
    const row = from + usize(i) * ROW_BYTES;
    putRow(row, to, starts + (usize((load<u64>(row) >> shift) & 255) << 2));
  }
}

/** Copies a row to where `place` says, and moves that on. */
function putRow(row: usize, to: usize, place: usize): void {
  const at = load<u32>(place);
  store<u32>(place, at + 1);
  v128.store(to + usize(at) * ROW_BYTES, v128.load(row));
}

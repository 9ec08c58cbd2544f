// Texts lie one behind the other with 8 readable bytes behind the last: text `id` is `texts[offsets[id], offsets[id + 1])`, offsets
// are i32. A row of 16 bytes stands for a text that is sorted: eight of its bytes, the first one the highest and zeros behind its
// end (u64), where it begins (u32), its id (u32).

export const ROW_BYTES: usize = 16;
/** Bytes of a key. */
export const KEY_BYTES: i32 = 8;

/** The first eight of `length` bytes. */
export function keyAt(at: usize, length: i32): u64 {
  if (length <= 0) return 0;
  const key = bswap<u64>(load<u64>(at));
  return length < KEY_BYTES ? key & (~u64(0) << (64 - 8 * u64(length))) : key;
}

/**
 * Takes the texts whose byte of `flags` is not 0 out of `texts` and `offsets`, in their place. Gives the bytes that are left, or
 * -1 - id for the first one left that is longer than `most`.
 */
export function dropTexts(texts: usize, offsets: usize, count: i32, flags: usize, most: i32): i32 {
  let end: i32 = 0;
  let start: i32 = load<i32>(offsets);
  for (let id: i32 = 0; id < count; id++) {
    const next = offsets + (usize(id) << 2) + 4;
    const last = load<i32>(next);
    if (load<u8>(flags + id) === 0) {
      const length = last - start;
      if (length > most) return -1 - id;
      if (end !== start) memory.copy(texts + end, texts + start, length);
      end += length;
    }
    store<i32>(next, end);
    start = last;
  }
  return end;
}

/** Makes rows of the texts that have bytes, by id; gives how many. */
export function fillRows(texts: usize, offsets: usize, count: i32, rows: usize): i32 {
  let row = rows;
  let start: i32 = load<i32>(offsets);
  for (let id: i32 = 0; id < count; id++) {
    const end = load<i32>(offsets + (usize(id) << 2) + 4);
    if (end > start) {
      store<u64>(row, keyAt(texts + start, end - start));
      store<i32>(row + 8, start);
      store<i32>(row + 12, id);
      row += ROW_BYTES;
    }
    start = end;
  }
  return i32((row - rows) >> 4);
}

import { ROW_BYTES } from './rows';

/**
 * Of sorted rows: their ids to `ids` (i32), and how many bytes each begins with as the one before it to `prefixes` (u16). Gives how
 * many nodes their trie has.
 */
export function comparePrefixes(
  offsets: usize,
  texts: usize,
  rows: usize,
  count: i32,
  ids: usize,
  prefixes: usize,
): i32 {
  let nodes: i32 = 1;
  let before: usize = texts;
  let lengthBefore: i32 = 0;
  for (let i: i32 = 0; i < count; i++) {
    const row = rows + usize(i) * ROW_BYTES;
    const id = load<u32>(row, 12);
    const start = load<u32>(row, 8);
    const length = load<i32>(offsets + (usize(id) << 2) + 4) - i32(start);
    const shared = sharedBytes(before, texts + start, min(length, lengthBefore));
    store<u32>(ids + (usize(i) << 2), id);
    store<u16>(prefixes + (usize(i) << 1), shared);
    nodes += length - shared;
    before = texts + start;
    lengthBefore = length;
  }
  return nodes;
}

/** How many of `most` bytes two texts begin alike with. */
function sharedBytes(a: usize, b: usize, most: i32): i32 {
  for (let at: i32 = 0; at < most; at += 8) {
    const differing = load<u64>(a + at) ^ load<u64>(b + at);
    if (differing !== 0) return min(at + i32(ctz(differing) >> 3), most);
  }
  return most;
}

/**
 * Writes the trie of `count` texts, by the ids and prefixes of `comparePrefixes`, as `Trie` of src/grammar/vocabulary/build-trie.ts
 * describes it: `ends` and `firsts` are i32, `depths` u16, `bytes` u8. `path` has room for an i32 for each byte of the longest text,
 * and one more.
 */
export function putNodes(
  offsets: usize,
  texts: usize,
  ids: usize,
  prefixes: usize,
  count: i32,
  ends: usize,
  firsts: usize,
  depths: usize,
  bytes: usize,
  path: usize,
): void {
  store<i32>(path, 0);
  store<i32>(firsts, 0);
  store<u16>(depths, 0);
  store<u8>(bytes, 0);
  let last: i32 = 0;
  let next: i32 = 1;
  for (let i: i32 = 0; i < count; i++) {
    const own = offsets + (usize(load<u32>(ids + (usize(i) << 2))) << 2);
    const start = load<i32>(own);
    const length = load<i32>(own, 4) - start;
    const shared = i32(load<u16>(prefixes + (usize(i) << 1)));
    for (let depth = last; depth > shared; depth--) closeNode(ends, path, depth, next);
    for (let depth = shared; depth < length; depth++) {
      store<u8>(bytes + next, load<u8>(texts + start + depth));
      store<u16>(depths + (usize(next) << 1), depth + 1);
      store<i32>(firsts + (usize(next) << 2), i);
      store<i32>(path + (usize(depth) << 2), next++, 4);
    }
    last = length;
  }
  for (let depth = last; depth >= 0; depth--) closeNode(ends, path, depth, next);
  store<i32>(firsts + (usize(next) << 2), count);
}

/** The node at `depth` of the path ends before the node `next`. */
function closeNode(ends: usize, path: usize, depth: i32, next: i32): void {
  store<i32>(ends + (usize(load<u32>(path + (usize(depth) << 2))) << 2), next);
}

import type { MergeTable } from './merge-table.js';
import { MinHeap } from './min-heap.js';

/** Ids up to which scanning for the lowest rank beats a heap. */
const SHORT = 96;

const NONE = 0x7fff_ffff;

/**
 * Byte-pair merging: again and again the pair of lowest rank, the leftmost of equals, becomes one token.
 * `ids[0, count)` is merged in place; returns the new count. Source: Sennrich et al. 2016 (arXiv 1508.07909).
 */
export function mergePairs(ids: Int32Array, count: number, merges: MergeTable): number {
  if (count < 2) return count;
  return count <= SHORT ? mergeShort(ids, count, merges) : mergeLong(ids, count, merges);
}

/** Quadratic, without allocation: the rank of each pair is kept beside it. */
function mergeShort(ids: Int32Array, count: number, merges: MergeTable): number {
  const ranks = ranksOf(ids, count, merges);
  for (;;) {
    let lowest = NONE;
    let at = 0;
    for (let i = 0; i < count - 1; i++) {
      if ((ranks[i] as number) < lowest) {
        lowest = ranks[i] as number;
        at = i;
      }
    }
    if (lowest === NONE) return count;
    count--;
    for (let i = at + 1; i < count; i++) {
      ids[i] = ids[i + 1] as number;
      ranks[i] = ranks[i + 1] as number;
    }
    ids[at] = merges.ids[lowest] as number;
    if (at > 0) ranks[at - 1] = rankOr(merges, ids[at - 1] as number, ids[at] as number);
    ranks[at] = at < count - 1 ? rankOr(merges, ids[at] as number, ids[at + 1] as number) : NONE;
  }
}

function ranksOf(ids: Int32Array, count: number, merges: MergeTable): Int32Array {
  const ranks = new Int32Array(count);
  for (let i = 0; i < count - 1; i++) ranks[i] = rankOr(merges, ids[i] as number, ids[i + 1] as number);
  ranks[count - 1] = NONE;
  return ranks;
}

function rankOr(merges: MergeTable, left: number, right: number): number {
  const rank = merges.rankOf(left, right);
  return rank < 0 ? NONE : rank;
}

/**
 * n log n: a linked list of ids and a heap of (rank, position), kept as rank × 2^31 + position. An entry whose pair has
 * changed since is dropped when it comes up.
 */
function mergeLong(ids: Int32Array, count: number, merges: MergeTable): number {
  const ranks = ranksOf(ids, count, merges);
  const next = new Int32Array(count);
  const previous = new Int32Array(count);
  const heap = new MinHeap(2 * count);
  for (let i = 0; i < count; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (ranks[i] !== NONE) heap.push((ranks[i] as number) * 0x8000_0000 + i);
  }
  const renew = (left: number, right: number): void => {
    const rank = rankOr(merges, ids[left] as number, ids[right] as number);
    ranks[left] = rank;
    if (rank !== NONE) heap.push(rank * 0x8000_0000 + left);
  };
  while (heap.size > 0) {
    const key = heap.pop();
    const rank = Math.floor(key / 0x8000_0000);
    const at = key - rank * 0x8000_0000;
    if (ranks[at] !== rank) continue;
    const gone = next[at] as number;
    const after = next[gone] as number;
    ids[at] = merges.ids[rank] as number;
    ranks[gone] = NONE;
    ranks[at] = NONE;
    next[at] = after;
    if (after < count) {
      previous[after] = at;
      renew(at, after);
    }
    if (at > 0) renew(previous[at] as number, at);
  }
  let kept = 0;
  for (let at = 0; at < count; at = next[at] as number) ids[kept++] = ids[at] as number;
  return kept;
}

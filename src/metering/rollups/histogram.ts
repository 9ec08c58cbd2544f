// Durations by size: four buckets for each doubling, so a percentile is right to some 9 %. Histograms can be added by
// their counts, and percentiles cannot: so histograms are stored.

/** Milliseconds: bucket `i` counts durations above 2^((i - 1) / 4) and up to 2^(i / 4); the first also shorter ones. */
const PER_DOUBLING = 4;
/** Up to 2^25 ms, some nine hours; the last bucket counts longer ones. */
const MAX_BUCKET = 100;

/** Counts by bucket; an absent bucket counts 0. */
export type Histogram = Map<number, number>;

/** The bucket of a time in milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(MAX_BUCKET, Math.ceil(Math.log2(ms) * PER_DOUBLING - 1e-9));
}

/** Adds one duration, or several equal ones. */
export function observe(histogram: Histogram, ms: number, count = 1): void {
  const bucket = bucketOf(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/** Adds the counts of one to another. */
export function addCounts<K>(to: Map<K, number>, from: ReadonlyMap<K, number>): void {
  for (const [key, count] of from) to.set(key, (to.get(key) ?? 0) + count);
}

/**
 * The duration that `share` (0 to 1) of all do not exceed: the middle of its bucket, in milliseconds. Undefined: no
 * durations.
 */
export function percentile(histogram: ReadonlyMap<number, number>, share: number): number | undefined {
  const total = [...histogram.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(1, Math.ceil(share * total));
  for (const [bucket, count] of [...histogram].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return bucket === 0 ? 1 : 2 ** ((bucket - 0.5) / PER_DOUBLING);
  }
  return undefined;
}

/** Counts as a column has them: `12:5,13:8`. One that came to zero is left out. */
export function writeCounts(counts: ReadonlyMap<string | number, number | bigint>): string {
  const there = [...counts].filter(([, count]) => count !== 0 && count !== 0n);
  return there.map(([key, count]) => `${key}:${count}`).join(',');
}

/** The same read again, each count by `toCount`. */
export function readCounts<T>(text: string, toCount: (digits: string) => T): Map<string, T> {
  const pairs = text === '' ? [] : text.split(',');
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf(':');
      return [pair.slice(0, at), toCount(pair.slice(at + 1))];
    }),
  );
}

/** A histogram of a column. */
export function readHistogram(text: string): Histogram {
  return new Map(Array.from(readCounts(text, Number), ([bucket, count]) => [Number(bucket), count]));
}

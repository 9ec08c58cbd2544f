import type { Clock } from '../../../base/index.js';

/** Span over which a speed is taken: shorter, and the seconds that are left jump about. */
const SPAN_MS = 10_000;
/** No speed is shown before this time. */
const FEWEST_MS = 500;

/** The speed of a transfer in the last seconds. */
export interface TransferRate {
  /** So many bytes are there now. */
  note(doneBytes: number): void;
  /** Bytes a second; undefined while it is not known. */
  readonly bytesPerSecond: number | undefined;
  /** Seconds that `bytes` take at that speed. */
  secondsFor(bytes: number): number | undefined;
}

/** A rate that begins with the first bytes noted: what was there before is none of its doing. */
export function createTransferRate(clock: Clock): TransferRate {
  const marks: { readonly atMs: number; readonly bytes: number }[] = [];
  const rateOf = (): number | undefined => {
    const [first, last] = [marks[0], marks.at(-1)];
    if (first === undefined || last === undefined || last.atMs - first.atMs < FEWEST_MS) return undefined;
    return Math.max(0, ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1_000);
  };
  return {
    note(bytes) {
      const atMs = clock.nowMs();
      const last = marks.at(-1);
      // Bytes that were fetched again: the speed begins anew.
      if (last !== undefined && bytes < last.bytes) marks.length = 0;
      if (last === undefined || atMs - last.atMs >= 100 || marks.length === 0) marks.push({ atMs, bytes });
      while (marks.length > 2 && (marks[1]?.atMs ?? atMs) < atMs - SPAN_MS) marks.shift();
    },
    get bytesPerSecond() {
      return rateOf();
    },
    secondsFor(bytes) {
      const rate = rateOf();
      return rate === undefined || rate < 1 ? undefined : bytes / rate;
    },
  };
}

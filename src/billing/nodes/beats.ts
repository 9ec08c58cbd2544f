// A node whose counter grows is alive. Clocks of different nodes are never compared. A node is dead when its counter
// stands still longer than the timeout, on this process' clock. Clocks of nodes may jump and differ.

import type { Clock } from '../../base/index.js';

/** A pause of this process, or of the database, of this length invalidates the observations: they start again. */
const MAX_PAUSE_MS = 6_000;

/** Looks at counters of others. */
export class Beats {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { beat: string; sinceMs: number }>();
  #lastLookMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records all counters. Call it every few seconds. */
  look(beats: ReadonlyMap<string, string>): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lastLookMs > MAX_PAUSE_MS) this.#seen.clear();
    this.#lastLookMs = nowMs;
    for (const id of this.#seen.keys()) if (!beats.has(id)) this.#seen.delete(id);
    for (const [id, beat] of beats) {
      if (this.#seen.get(id)?.beat !== beat) this.#seen.set(id, { beat, sinceMs: nowMs });
    }
  }

  /** Counters that have not moved for `quietMs`, with their values. */
  quiet(quietMs: number): readonly (readonly [id: string, beat: string])[] {
    return [...this.#seen].flatMap(([id, { beat, sinceMs }]) =>
      this.#lastLookMs - sinceMs >= quietMs ? [[id, beat] as const] : [],
    );
  }

  /** How many have moved within `quietMs`. */
  living(quietMs: number): number {
    return this.#seen.size - this.quiet(quietMs).length;
  }
}

import type { Sequence } from '../sequence.js';

/** Share of all slots that a late caller gets: an eighth, which leaves most answers undisturbed. */
const KEPT_PART = 8;

/** The holders of a step's slots, all of which are taken. */
export class TakenPlaces {
  readonly #running: readonly Sequence[];
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  readonly #kept: number;

  constructor(running: readonly Sequence[]) {
    this.#running = running;
    for (const { caller } of running) this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
    this.#most = Math.max(...this.#counts.values());
    this.#kept = Math.max(1, Math.floor(running.length / KEPT_PART));
  }

  /**
   * The sequence that gives its slot to `newcomer`: the newest of the caller with most, unless it is more urgent.
   * Undefined: the newcomer's caller has its share already, or no other has two more. Without this rule a caller with
   * as many long answers as slots would keep all others waiting for the end of one.
   */
  giverFor(newcomer: Sequence): Sequence | undefined {
    const own = this.#counts.get(newcomer.caller) ?? 0;
    if (own >= this.#kept || this.#most < own + 2) return undefined;
    return this.#running.findLast(
      ({ caller, priority }) => this.#counts.get(caller) === this.#most && priority <= newcomer.priority,
    );
  }
}

import type { Clock } from '../../base/index.js';
import type { Sequence } from '../sequence.js';
import type { MasksBeside } from './thread-masks.js';

/**
 * Milliseconds of one step in which masks that are late are waited for: the thread that makes them may have had no core, and
 * gets this one. Masks take less, but for those of hostile grammars.
 */
const PATIENCE_MS = 1;
/** Milliseconds for which an engine sleeps that has nothing else to do until it hears its messages again. */
const IDLE_MS = 2;

/** Counts of masks since the engine began. */
export interface MaskStats {
  /** Rows of logits that came for a sequence whose tokens are limited. */
  readonly masked: number;
  /** Of these, the ones whose mask was not there yet. */
  readonly lateMasks: number;
  /** Of these, the ones after which the sequence was left out of steps. */
  readonly heldMasks: number;
}

/** What an engine does about masks that are made beside its steps. */
export class MaskWait {
  readonly #masks: MasksBeside | undefined;
  readonly #clock: Clock;
  #masked = 0;
  #late = 0;
  #held = 0;

  /** Without `masks` each is there. */
  constructor(masks: MasksBeside | undefined, clock: Clock) {
    this.#masks = masks;
    this.#clock = clock;
  }

  get stats(): MaskStats {
    return { masked: this.#masked, lateMasks: this.#late, heldMasks: this.#held };
  }

  /** Takes what was made meanwhile. */
  poll(): void {
    this.#masks?.poll();
  }

  /** Sleeps while nothing can be computed. */
  idle(): void {
    this.#masks?.wait(IDLE_MS);
  }

  /** Whether the mask of a sequence came before its logits. */
  isThere({ constraint }: Sequence): boolean {
    if (constraint === undefined) return true;
    this.#masked++;
    const isThere = constraint.isReady !== false;
    if (!isThere) this.#late++;
    return isThere;
  }

  /** Waits for the masks of sequences, as long as others can; the milliseconds that it took. */
  waitFor(late: readonly Sequence[]): number {
    if (late.length === 0) return 0;
    const startMs = this.#clock.nowMs();
    for (let leftMs = PATIENCE_MS; leftMs > 0; leftMs = startMs + PATIENCE_MS - this.#clock.nowMs()) {
      if (late.every(({ constraint }) => constraint?.isReady !== false)) break;
      this.#masks?.wait(leftMs);
    }
    return this.#clock.nowMs() - startMs;
  }

  /**
   * Whether a sequence must be left out until its mask is there. Its last token then goes through the model once more: its
   * logits are not kept, and come again with the same bits.
   */
  holds(sequence: Sequence): boolean {
    if (sequence.constraint?.isReady !== false) return false;
    this.#held++;
    sequence.hold();
    return true;
  }
}

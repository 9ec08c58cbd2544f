import type { Clock } from '../../base/index.js';
import type { Sequence } from '../sequence.js';
import type { MasksBeside } from './thread-masks.js';

/**
 * Milliseconds of one step that the engine waits for late masks: their thread may have had no core, and gets this one.
 * Masks take less, except those of hostile grammars.
 */
const PATIENCE_MS = 1;
/** Milliseconds that an engine without other work sleeps before it handles messages again. */
const IDLE_MS = 2;

/** Counts of masks since the engine's start. */
export interface MaskStats {
  /** Rows of logits of sequences with limited tokens. */
  readonly masked: number;
  /** Of these, the rows whose mask was late. */
  readonly lateMasks: number;
  /** Of these, the rows after which the sequence left the steps. */
  readonly heldMasks: number;
}

/** The engine's handling of masks that are made beside its steps. */
export class MaskWait {
  readonly #masks: MasksBeside | undefined;
  readonly #clock: Clock;
  #masked = 0;
  #late = 0;
  #held = 0;

  readonly #patienceMs: number;

  /** Without `masks` every mask is ready. `mayHold`: whether a sequence may leave the steps. */
  constructor(masks: MasksBeside | undefined, clock: Clock, mayHold = true) {
    this.#masks = masks;
    this.#clock = clock;
    this.#patienceMs = mayHold ? PATIENCE_MS : Infinity;
  }

  get stats(): MaskStats {
    return { masked: this.#masked, lateMasks: this.#late, heldMasks: this.#held };
  }

  /** Takes the masks finished meanwhile. */
  poll(): void {
    this.#masks?.poll();
  }

  /** Sleeps while no sequence can run. */
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

  /** Waits for the masks of sequences, within the limit where they may leave the steps; returns the milliseconds. */
  waitFor(late: readonly Sequence[]): number {
    if (late.length === 0) return 0;
    const startMs = this.#clock.nowMs();
    for (let leftMs = this.#patienceMs; leftMs > 0; leftMs = startMs + this.#patienceMs - this.#clock.nowMs()) {
      if (late.every(({ constraint }) => constraint?.isReady !== false)) break;
      this.#masks?.wait(Math.min(leftMs, IDLE_MS));
    }
    return this.#clock.nowMs() - startMs;
  }

  /**
   * Whether a sequence must leave the steps until its mask is ready. Its last token then goes through the model once
   * more: its logits are not kept, and come again with the same bits.
   */
  holds(sequence: Sequence): boolean {
    if (sequence.constraint?.isReady !== false) return false;
    this.#held++;
    sequence.hold();
    return true;
  }
}

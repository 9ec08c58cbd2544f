/**
 * Notices an engine that neither dies nor goes on: a kernel that loops, a thread that never comes to a barrier. It lives
 * on the caller's side and looks at the engine's record of its work; the engine itself only counts.
 */

import { getBuiltinModule, features } from 'node:process';
import { systemClock, type Clock } from '../../base/index.js';

/** What a step may take when nobody says: the slowest machine computes a fused op of the largest model in less. */
export const STEP_TIMEOUT_MS = 60_000;
/** Steps of a slow model may take so many times the median before they count as hung. */
const MEDIANS = 50;
/**
 * A silence that ended was one fused op on this machine, and another may take so many times as long: of the fused ops of a layer
 * the longest has some four times the work of the shortest that comes before it.
 */
const LONGEST = 8;
/** Looks within the shortest bound. */
const LOOKS = 32;
const MIN_LOOK_MS = 1;
/**
 * Of the time between two looks no more counts than so many times what was planned: a machine that slept, a process
 * that was stopped, a caller that computed meanwhile. The engine had no more than that to show itself in.
 */
const MOST_LOOKS = 2;

/** What a watchdog needs. */
export interface WatchdogOptions {
  /**
   * Milliseconds without a sign of life. More where 50 times the median step are more, or 8 times the longest silence that
   * ended since somebody waits.
   */
  readonly timeoutMs: number;
  /** A number that changes with each sign of life. */
  readonly beats: () => number;
  readonly medianStepMs: () => number;
  /** Whether somebody waits for the engine, which runs. */
  readonly isAwaited: () => boolean;
  /** Hears of an engine that was silent for `silentMs`. */
  readonly onHung: (silentMs: number) => void;
  readonly clock?: Clock | undefined;
  /** Whether a debugger may hold threads. Default: the inspector is open. */
  readonly isDebugged?: () => boolean;
}

/** Watches one engine, whichever instance runs. Looks only while somebody waits, every 2 s by default. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #clock: Clock;
  readonly #lookMs: number;
  #cancel: (() => void) | undefined;
  #seen: number | undefined;
  #silentMs = 0;
  #longestMs = 0;
  #lookedMs = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lookMs = Math.max(MIN_LOOK_MS, options.timeoutMs / LOOKS);
  }

  /** Somebody may wait from now on. */
  wake(): void {
    if (this.#cancel !== undefined || !Number.isFinite(this.#lookMs)) return;
    this.#forget();
    this.#longestMs = 0;
    this.#plan();
  }

  /** Looks no more, until it is woken. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #plan(): void {
    this.#lookedMs = this.#clock.nowMs();
    this.#cancel = this.#clock.after(this.#lookMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    const { beats, medianStepMs, timeoutMs, isAwaited, onHung, isDebugged = hasInspector } = this.#options;
    if (!isAwaited()) return;
    const now = beats();
    const passedMs = Math.min(MOST_LOOKS * this.#lookMs, this.#clock.nowMs() - this.#lookedMs);
    if (now === this.#seen && !isDebugged()) this.#silentMs += passedMs;
    else {
      this.#longestMs = Math.max(this.#longestMs, this.#silentMs);
      this.#silentMs = 0;
    }
    this.#seen = now;
    this.#plan();
    // The median last: it sorts.
    if (this.#silentMs < Math.max(timeoutMs, LONGEST * this.#longestMs)) return;
    if (this.#silentMs < MEDIANS * medianStepMs()) return;
    const silentMs = this.#silentMs;
    this.#forget();
    onHung(silentMs);
  }

  #forget(): void {
    this.#seen = undefined;
    this.#silentMs = 0;
  }
}

/** Not imported: a Node may be built without it. */
function hasInspector(): boolean {
  return features.inspector && getBuiltinModule('node:inspector').url() !== undefined;
}

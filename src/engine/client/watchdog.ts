/**
 * Detects an engine that neither dies nor goes on: a kernel that loops, a thread that never reaches a barrier. It runs
 * on the caller's side and reads the engine's work record; the engine itself only counts.
 */

import { getBuiltinModule, features } from 'node:process';
import { systemClock, type Clock } from '../../base/index.js';

/** Default time limit of a step: the slowest machine computes a fused op of the largest model in less. */
export const STEP_TIMEOUT_MS = 60_000;
/** Steps of a slow model may take this many times the median before they count as hung. */
const MEDIANS = 50;
/**
 * A completed silence was one fused op on this machine; another op may take this many times as long. Of a layer's fused
 * ops the longest has some four times the work of the shortest before it.
 */
const LONGEST = 8;
/** Divides the shortest bound into checks. */
const LOOKS = 32;
const MIN_LOOK_MS = 1;
/**
 * The time between two checks counts up to this many times the planned interval. A longer gap is a machine that slept,
 * a stopped process, or a caller that computed meanwhile, and the engine had no more time either.
 */
const MOST_LOOKS = 2;

/** Inputs of a watchdog. */
export interface WatchdogOptions {
  /**
   * Milliseconds without a sign of life. The bound is 50 times the median step, or 8 times the longest completed
   * silence since the wait began, where that is more.
   */
  readonly timeoutMs: number;
  /** A number that changes with each sign of life. */
  readonly beats: () => number;
  readonly medianStepMs: () => number;
  /** Whether a caller waits for the engine, and the engine runs. */
  readonly isAwaited: () => boolean;
  /** Called for an engine that was silent for `silentMs`. */
  readonly onHung: (silentMs: number) => void;
  readonly clock?: Clock | undefined;
  /** Whether a debugger may hold threads. Default: the inspector is open. */
  readonly isDebugged?: () => boolean;
}

/** Watches one engine across its instances. It checks only while a caller waits, every 2 s by default. */
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

  /** A caller may wait from now on. */
  wake(): void {
    if (this.#cancel !== undefined || !Number.isFinite(this.#lookMs)) return;
    this.#forget();
    this.#longestMs = 0;
    this.#plan();
  }

  /** Stops checking until the next `wake`. */
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
    // The median comes last: it sorts.
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

/** Not imported: a Node may be built without the inspector. */
function hasInspector(): boolean {
  return features.inspector && getBuiltinModule('node:inspector').url() !== undefined;
}

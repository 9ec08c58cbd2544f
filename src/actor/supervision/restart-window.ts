/** Counts restarts within a sliding period. Source: OTP's supervisor.erl, `add_restart`. */
export class RestartWindow {
  readonly #intensity: number;
  readonly #periodMs: number;
  #restarts: number[] = [];

  constructor(intensity: number, periodMs: number) {
    this.#intensity = intensity;
    this.#periodMs = periodMs;
  }

  /** Records a restart at `nowMs`. Returns the number within the period, or undefined when it exceeds the intensity. */
  note(nowMs: number): number | undefined {
    this.#restarts = this.#restarts.filter((at) => nowMs - at <= this.#periodMs);
    this.#restarts.push(nowMs);
    return this.#restarts.length > this.#intensity ? undefined : this.#restarts.length;
  }

  /** Forgets all restarts: a restarted supervisor begins anew. */
  clear(): void {
    this.#restarts = [];
  }
}

/** Used when a supervisor spec has none. Milliseconds. */
export const DEFAULT_BACKOFF_MS = { first: 50, max: 2_000 };

/**
 * The pause before the `count`-th restart within the period. The first restart is immediate, since most deaths are
 * isolated. No jitter: children of one process do not stampede a shared service.
 */
export function backoffMs(count: number, { first, max }: { first: number; max: number }): number {
  return count <= 1 ? 0 : Math.min(max, first * 2 ** (count - 2));
}

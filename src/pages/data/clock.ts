/** The browser's clock and timers. Tests replace them. */
export interface PageClock {
  /** Monotonic milliseconds from an arbitrary start. */
  nowMs(): number;
  /** Milliseconds since 1970. */
  unixMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** Calls `run` once before the next frame, but not while the page is hidden. */
  onFrame(run: () => void): void;
}

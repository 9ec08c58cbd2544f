import type { PageClock } from '../../data/index.js';

/** The clock of the browser. */
export const browserClock: PageClock = {
  nowMs: () => performance.now(),
  unixMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  onFrame: (run) => void requestAnimationFrame(run),
};

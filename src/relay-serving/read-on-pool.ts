import type { Clock } from '../base/index.js';
import type { ReadOn } from '../relay/index.js';

/** Limits on reading answers whose readers left. */
export interface ReadOnLimits {
  /** Answers at once; 0: none is. */
  readonly streams: number;
  readonly timeMs: number;
  /** Tokens that one answer may still produce. */
  readonly tokens: number;
}

/** A bounded number of answers that are read on for their usage. */
export interface ReadOnPool {
  readonly running: number;
  /** Undefined: the pool is full. */
  take(limits: ReadOnLimits): ReadOn | undefined;
  /** Stops all of them. */
  stopAll(): void;
}

/** A pool with no answer yet. */
export function createReadOnPool(clock: Clock): ReadOnPool {
  const running = new Set<AbortController>();
  return {
    get running() {
      return running.size;
    },
    take({ streams, timeMs, tokens }) {
      if (running.size >= streams || timeMs === 0) return undefined;
      const controller = new AbortController();
      running.add(controller);
      const cancel = clock.after(timeMs, () => controller.abort());
      const onEnd = (): void => {
        cancel();
        running.delete(controller);
      };
      return { signal: controller.signal, tokens, onEnd };
    },
    stopAll() {
      for (const controller of running) controller.abort();
    },
  };
}

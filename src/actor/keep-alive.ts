/** Longest delay that Node's timers take, in milliseconds; what it runs does nothing. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Keeps the event loop alive during waits that Node does not count, such as `Atomics.waitAsync`. */
export interface KeepAlive {
  /** Whether somebody waits now. */
  waiting(active: boolean): void;
  /** Whether who waits keeps the process alive. Default true. */
  hold(active: boolean): void;
  /** Gives the timer back. */
  clear(): void;
}

/** A keep-alive that nobody waits on yet. */
export function createKeepAlive(): KeepAlive {
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let held = true;
  const update = (): void => {
    if (isWaiting && held) {
      timer ??= setInterval(() => {}, LONGEST_DELAY_MS);
      timer.ref();
    } else timer?.unref();
  };
  return {
    waiting(active) {
      isWaiting = active;
      update();
    },
    hold(active) {
      held = active;
      update();
    },
    clear() {
      clearInterval(timer);
      timer = undefined;
      isWaiting = false;
    },
  };
}

/** Longest delay that Node's timers accept, in milliseconds; the timer does nothing. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Keeps the event loop alive during waits that Node does not count, such as `Atomics.waitAsync`. */
export interface KeepAlive {
  /** Sets whether a wait is pending. */
  waiting(active: boolean): void;
  /** Sets whether a pending wait keeps the process alive. Default true. */
  hold(active: boolean): void;
  /** Clears the timer. */
  clear(): void;
}

/** A keep-alive without a pending wait. */
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

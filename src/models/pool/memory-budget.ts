import { type Clock, isAppError, systemClock, waitFor } from '../../base/index.js';

/** Holders that give bytes back when the budget asks. */
export interface BytesHolders {
  /** Bytes that are being given back already. */
  coming(): number;
  /**
   * Starts to free at least `bytes`, which come back later through `give`. Returns how many, or 0 when so many cannot be freed.
   */
  makeRoom(bytes: number): number;
}

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
  isGranted: boolean;
}

/**
 * Grants bytes before they are used, so two loads never count on the same ones. Waiters are served in order of arrival. A waiter
 * whose bytes are still in use reserves nothing and does not block the next.
 */
export class MemoryBudget {
  readonly totalBytes: number;
  readonly #holders: BytesHolders;
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #taken = 0;

  constructor(totalBytes: number, holders: BytesHolders, clock: Clock = systemClock) {
    this.totalBytes = totalBytes;
    this.#holders = holders;
    this.#clock = clock;
  }

  /** Bytes granted now. */
  get takenBytes(): number {
    return this.#taken;
  }

  /**
   * Resolves with true when `bytes` are granted, with false when they did not come free within `waitMs`. Rejects with the reason
   * of the signal.
   */
  async take(bytes: number, waitMs: number, signal: AbortSignal): Promise<boolean> {
    let grant = (): void => {};
    const granted = new Promise<void>((resolve) => {
      grant = resolve;
    });
    const waiter: Waiter = { bytes, grant, isGranted: false };
    this.#waiting.push(waiter);
    this.settle();
    try {
      await waitFor(granted, 'room for a model', { deadlineMs: waitMs, signal, clock: this.#clock });
      return true;
    } catch (error) {
      if (waiter.isGranted) this.give(bytes);
      else {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        this.settle();
      }
      if (isAppError(error) && error.code === 'deadline_exceeded') return false;
      throw error;
    }
  }

  /** Gives bytes back. */
  give(bytes: number): void {
    this.#taken -= bytes;
    this.settle();
  }

  /** Serves the waiters that fit; to be called when a holder's bytes have become free to take. */
  settle(): void {
    let free = this.totalBytes - this.#taken;
    let coming = this.#holders.coming();
    for (const waiter of this.#waiting.slice()) {
      const { bytes } = waiter;
      if (bytes <= free) {
        free -= bytes;
        this.#grant(waiter);
        continue;
      }
      const missing = bytes - free - coming;
      const freed = missing > 0 ? this.#holders.makeRoom(missing) : 0;
      if (freed < missing) continue;
      // The bytes that it waits for are reserved: the next waiter must not take them.
      coming += freed - (bytes - free);
      free = 0;
    }
  }

  #grant(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    this.#taken += waiter.bytes;
    waiter.isGranted = true;
    waiter.grant();
  }
}

/**
 * A window of a minute in slots of half a second. No minute exceeds its limit, and less than 1 % of the limit is
 * withheld too long.
 */
const SLOT_MS = 500;
const WINDOW_MS = 60_000;

interface Slot {
  /** Since the clock's start, in slots. */
  readonly at: number;
  count: number;
}

/** Amounts of the last minute. An amount leaves after a minute and at most one slot. Times: of a monotonic clock. */
export class SlidingWindow {
  /** The slots of a minute, oldest first, 121 at most. */
  readonly #slots: Slot[] = [];
  #sum = 0;

  /** The amounts of the last minute together. */
  sum(nowMs: number): number {
    let first = this.#slots[0];
    while (first !== undefined && leaveMs(first.at) <= nowMs) {
      this.#sum -= first.count;
      this.#slots.shift();
      first = this.#slots[0];
    }
    return this.#sum;
  }

  /** Counts `amount` as of now. Gives the slot, by which it can be taken back. */
  add(amount: number, nowMs: number): number {
    this.sum(nowMs);
    const at = Math.floor(nowMs / SLOT_MS);
    const last = this.#slots.at(-1);
    if (last?.at === at) last.count += amount;
    else this.#slots.push({ at, count: amount });
    this.#sum += amount;
    return at;
  }

  /** Returns an amount that `add` counted in slot `at`; amounts older than the minute have expired already. */
  takeBack(amount: number, at: number): void {
    const slot = this.#slots.findLast((one) => one.at === at);
    if (slot === undefined) return;
    slot.count -= amount;
    this.#sum -= amount;
  }

  /** How long until the sum is at most `target`, in whole milliseconds; 0 when it is. Nothing lasts longer than a minute. */
  waitMs(target: number, nowMs: number): number {
    let sum = this.sum(nowMs);
    if (sum <= target) return 0;
    for (const slot of this.#slots) {
      sum -= slot.count;
      if (sum <= target) return Math.ceil(leaveMs(slot.at) - nowMs);
    }
    return WINDOW_MS;
  }
}

/** When a slot leaves the window: an amount at its very end is then a minute old. */
function leaveMs(at: number): number {
  return (at + 1) * SLOT_MS + WINDOW_MS;
}

// Group commit: all writes of one turn of the event loop become one transaction. A failed write leaves nothing behind;
// writes that must not be lost wait and are tried again.

import { AppError, isError, type Clock, type LogEntry } from '../../base/index.js';
import { RETRY_MS } from '../limits.js';
import type { Store } from '../../database/index.js';

/** One write: statements that belong together. */
export interface Write {
  readonly run: () => void;
  /** Called once it is durable. */
  readonly done?: () => void;
  /** Called when it was not written and never will be. Absent: it waits until it can be written. */
  readonly refused?: (error: AppError) => void;
}

/** Options of a committer. */
export interface WriteCommitterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** Collects writes and commits them together. */
export class WriteCommitter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: (entry: LogEntry) => void;
  #waiting: Write[] = [];
  #isScheduled = false;
  #failure: AppError | undefined;
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor({ store, clock, log }: WriteCommitterOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Why nothing can be written now; undefined: all is well. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Adds a write to the next transaction. One that may be refused is, at once, while nothing can be written. */
  add(write: Write): void {
    if (this.#isClosed) {
      // The database still has the hold of a settlement that is dropped here: the next process settles it.
      if (write.refused === undefined) write.done?.();
      else write.refused(new AppError('metering_unavailable', 'the meter was closed; open it again'));
      return;
    }
    if (this.#failure !== undefined && write.refused !== undefined) {
      write.refused(this.#failure);
      return;
    }
    this.#waiting.push(write);
    if (this.#isScheduled || this.#failure !== undefined) return;
    this.#isScheduled = true;
    // After the events of this turn: all their writes are one transaction.
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#failure === undefined) this.flush();
    });
  }

  /** The same as a promise. Errors: `metering_unavailable`. */
  write(run: () => void): Promise<void> {
    return new Promise((resolve, reject) => this.add({ run, done: resolve, refused: reject }));
  }

  /** Commits the waiting writes now. Whether all of them are durable. */
  flush(): boolean {
    const writes = this.#waiting;
    if (writes.length === 0 && this.#failure === undefined) return true;
    this.#waiting = [];
    try {
      this.#transact(writes);
    } catch (error) {
      this.#fail(error, writes);
      return false;
    }
    this.#recover();
    for (const { done } of writes) done?.();
    return true;
  }

  /** Commits the waiting writes once more, and stops trying. Whether all of them are durable. */
  close(): boolean {
    const isDurable = this.flush();
    this.#isClosed = true;
    this.#cancelRetry?.();
    return isDurable;
  }

  #transact(writes: readonly Write[]): void {
    this.#store.exec('BEGIN IMMEDIATE');
    try {
      for (const { run } of writes) run();
      // With nothing to write it is a trial whether writing works again.
      if (this.#failure !== undefined) this.#probe();
      this.#store.exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #probe(): void {
    this.#store.exec("INSERT OR REPLACE INTO setting (name, value) VALUES ('probe', '')");
  }

  #rollBack(): void {
    try {
      this.#store.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself when the disk is full.
    }
  }

  #fail(error: unknown, writes: readonly Write[]): void {
    const reason = isError(error) ? error.message : String(error);
    const message = `usage cannot be written (${reason}); requests are refused until it can: make room on the disk, or make it writable`;
    const failure = new AppError('metering_unavailable', message, { reason }, { cause: error });
    if (this.#failure === undefined) this.#log({ event: 'metering unavailable', reason, waiting: writes.length });
    this.#failure = failure;
    this.#waiting = [...writes.filter(({ refused }) => refused === undefined), ...this.#waiting];
    this.#cancelRetry?.();
    if (!this.#isClosed) this.#cancelRetry = this.#clock.after(RETRY_MS, () => this.flush());
    for (const { refused } of writes) refused?.(failure);
  }

  #recover(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#cancelRetry?.();
    this.#log({ event: 'metering available again' });
  }
}

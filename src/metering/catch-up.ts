// Brings a database of an earlier version up to date in the background: no request waits for it. Sums come first, slice
// by slice between the turns of the event loop; then indexes, each in one step while no request is under way.
import { every, isError, releaseMemory, type Clock, type LogEntry } from '../base/index.js';
import type { WriteCommitter } from './database/committer.js';
import type { RequestIndexes } from './database/request-indexes.js';
import type { UsageSums } from './database/usage-sums.js';
import type { Ledger } from './ledger/ledger.js';

/** How often it is looked whether there is work, and whether nothing runs. */
const LOOK_MS = 1_000;
/** Looks in a row at which nothing ran, before an index is built. */
const IDLE_LOOKS = 5;

/** Options of the work. */
export interface CatchUpOptions {
  readonly sums: UsageSums;
  readonly indexes: RequestIndexes;
  readonly ledger: Ledger;
  readonly committer: WriteCommitter;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** Brings a database up to date, unless it is. */
export class CatchUp {
  readonly #options: CatchUpOptions;
  #stop: () => void = () => {};
  #working: Promise<void> | undefined;
  #idleLooks = 0;
  #isClosed = false;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    if (this.#isDone()) return;
    options.log({ event: 'database catches up', reason: 'it is of an earlier version; requests are served meanwhile' });
    this.#stop = every(LOOK_MS, options.clock, () => this.#look());
    this.#look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#working;
  }

  #isDone(): boolean {
    return this.#options.ledger.isWhole && this.#options.indexes.isComplete();
  }

  #look(): void {
    const isIdle = this.#options.ledger.holds()[Symbol.iterator]().next().done === true;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async #work(): Promise<void> {
    const { ledger, indexes, log } = this.#options;
    try {
      if (!ledger.isWhole) await this.#countUsage();
      else if (!indexes.isComplete() && this.#idleLooks >= IDLE_LOOKS) await this.#buildIndex();
      if (!this.#isDone()) return;
      this.#stop();
      releaseMemory();
      log({ event: 'database caught up' });
    } catch (error) {
      // The next look tries again.
      log({ event: 'database does not catch up', reason: isError(error) ? error.message : String(error) });
    }
  }

  async #countUsage(): Promise<void> {
    const { sums, committer, ledger } = this.#options;
    while (!sums.isComplete()) {
      if (this.#isClosed) return;
      await committer.write(() => sums.countSlice());
      await new Promise((resolve) => setImmediate(resolve));
    }
    ledger.readAll();
  }

  async #buildIndex(): Promise<void> {
    const { indexes, committer } = this.#options;
    this.#idleLooks = 0;
    await committer.write(() => indexes.buildNext());
    indexes.look();
  }
}

// Every exit of a request ends here: in the database, or in the outbox while that is away, or in memory while the disk is full.

import { AppError, codeOf, isAppError, isError, sleep, type Clock, type LogEntry } from '../../base/index.js';
import type { StepCommitter } from '../books/committer.js';
import type { Settlement } from '../books/settlement.js';
import type { Outbox } from '../outbox/outbox.js';

/** Options of a settler. */
export interface SettlerOptions {
  readonly committer: StepCommitter;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** Pause before a settlement is tried again that neither the database nor the disk accepted. */
const RETRY_MS = 1_000;

/** Writes settlements. */
export class Settler {
  readonly #options: SettlerOptions;
  /** Counts of settlements that this node wrote since its start. */
  readonly counts = { settled: 0, voided: 0, late: 0, uncharged: 0 };
  /** Settlements that are in memory only. */
  #homeless = 0;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Settlements that are not in the database: in memory, or on the disk. */
  get depth(): number {
    return this.#homeless + this.#options.outbox.depth;
  }

  /** Resolves when the settlement is in the database or on the disk. Never rejects. */
  async settle(settlement: Settlement): Promise<void> {
    for (;;) {
      if (await this.#isWritten(settlement)) return;
      this.#homeless++;
      await sleep(RETRY_MS, this.#options.clock).finally(() => this.#homeless--);
    }
  }

  /** Moves settlements from the disk into the database while it is available. */
  async replay(): Promise<void> {
    const { outbox, committer, log } = this.#options;
    if (outbox.depth === 0 && !outbox.hasBytes) return;
    const before = outbox.depth;
    try {
      await outbox.replay((settlement) => this.#commitOrSetAside(settlement));
      if (before > 0) log({ event: 'outbox replayed', count: before });
    } catch (error) {
      if (!committer.isAway) log({ event: 'outbox not replayed', depth: outbox.depth, reason: reasonOf(error) });
    }
  }

  async #isWritten(settlement: Settlement): Promise<boolean> {
    const { committer, outbox, log } = this.#options;
    try {
      await this.#commit(settlement);
      return true;
    } catch (error) {
      const isAway = codeOf(error) === 'database_unavailable';
      const { requestId } = settlement;
      if (!isAway) log({ event: 'settlement refused', requestId, reason: reasonOf(error) });
      else if (!committer.isAway || outbox.depth === 0)
        log({ event: 'settlement waits for the database', requestId, reason: reasonOf(error) });
    }
    try {
      await outbox.append(settlement);
      return true;
    } catch (error) {
      log({ event: 'settlement waits in memory', requestId: settlement.requestId, reason: reasonOf(error) });
      return false;
    }
  }

  /** One that the database refuses for ever does not keep the others waiting. Errors: `database_unavailable`, `queue_full`. */
  async #commitOrSetAside(settlement: Settlement): Promise<void> {
    const { outbox, log } = this.#options;
    try {
      await this.#commit(settlement);
    } catch (error) {
      // Our other errors may pass: a full queue, a lock.
      if (isAppError(error) && error.code !== 'database_conflict') throw error;
      log({ event: 'settlement set aside', requestId: settlement.requestId, reason: reasonOf(error) });
      await outbox.setAside(settlement);
    }
  }

  async #commit(settlement: Settlement): Promise<void> {
    const { committer, log } = this.#options;
    const result = await committer.run({ kind: 'settle', settlement });
    if (result.kind !== 'settled') throw new AppError('internal_error', 'a settlement came to something else');
    const { unchargedMicro, isLate, isNew } = result.settled;
    const { requestId, accountId, currency, state } = settlement;
    if (isNew || isLate) this.counts[state]++;
    if (isLate) this.counts.late++;
    if (unchargedMicro > 0n) this.counts.uncharged++;
    if (unchargedMicro > 0n)
      log({ event: 'uncharged', requestId, accountId, currency, unchargedMicro: String(unchargedMicro) });
    if (isLate) log({ event: 'settled after it was voided', requestId, accountId });
  }
}

function reasonOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}

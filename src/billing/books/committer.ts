// Group commit: steps that arrive during a transaction form the next one. Each step is complete in itself: if one step
// fails a transaction, each is tried alone.

import { AppError, codeOf, type Clock } from '../../base/index.js';
import type { Database } from '../../database/index.js';
import { accountOf } from './load-rows.js';
import { runSteps } from './run-steps.js';
import type { AccountStep, StepResult } from './step.js';

/** Options of a committer. */
export interface StepCommitterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly nodeId: () => string;
  /** Milliseconds since 1970, steady: jumps of the machine's clock do not move it. */
  readonly nowMs: () => number;
}

/**
 * Steps of one transaction. SQLite blocks the event loop for it, some 10 ms; PostgreSQL locks the rows of accounts for
 * its duration.
 */
const MAX_STEPS = { sqlite: 100, postgres: 250 } as const;
/** Steps that wait; more are refused, since they would wait for seconds. */
const MAX_WAITING = 20_000;
/** Transactions at a time: while one is on its way to the disk the next is read and decided. */
const CONCURRENT_BATCHES = { sqlite: 1, postgres: 3 } as const;
/** After a failure only one transaction a second finds out whether the database is back. */
const RETRY_MS = 1_000;

interface Waiting {
  readonly step: AccountStep;
  readonly resolve: (result: StepResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects steps and runs them together. */
export class StepCommitter {
  readonly #options: StepCommitterOptions;
  readonly #maxRunning: number;
  #waiting: Waiting[] = [];
  /** Accounts of transactions that run: another one would only wait for their rows, and make others wait behind it. */
  readonly #locked = new Set<string>();
  #running = 0;
  #isScheduled = false;
  #failure: { readonly error: AppError; readonly untilMs: number } | undefined;

  constructor(options: StepCommitterOptions) {
    this.#options = options;
    this.#maxRunning = CONCURRENT_BATCHES[options.database.kind];
  }

  /** Whether the last transaction found the database away. */
  get isAway(): boolean {
    return this.#failure !== undefined && this.#options.clock.nowMs() < this.#failure.untilMs;
  }

  /** Runs a step. Errors: why it was refused; `database_unavailable`, with `details.isUnknown` where it may have been done. */
  async run(step: AccountStep): Promise<Exclude<StepResult, { readonly kind: 'refused' }>> {
    if (this.#failure !== undefined && this.isAway) throw notAsked(this.#failure.error);
    if (this.#waiting.length >= MAX_WAITING) throw tooMany();
    const result = await new Promise<StepResult>((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      this.#schedule();
    });
    if (result.kind === 'refused') throw result.error;
    return result;
  }

  /** Steps of one turn of the event loop share a transaction. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#maxRunning) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#running < this.#maxRunning) {
      const batch = this.#takeFree();
      if (batch.length === 0) return;
      const accounts = new Set(batch.map(({ step }) => accountOf(step)));
      for (const account of accounts) this.#locked.add(account);
      this.#running++;
      void this.#commit(batch).finally(() => {
        for (const account of accounts) this.#locked.delete(account);
        this.#running--;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }
  }

  /** Takes the oldest steps out whose accounts no transaction of this node has locked. */
  #takeFree(): readonly Waiting[] {
    const most = MAX_STEPS[this.#options.database.kind];
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const one of this.#waiting) {
      const isFree = batch.length < most && !this.#locked.has(accountOf(one.step));
      (isFree ? batch : rest).push(one);
    }
    this.#waiting = rest;
    return batch;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { database, nodeId, nowMs, clock } = this.#options;
    const steps = batch.map(({ step }) => step);
    try {
      const options = { nodeId: nodeId(), nowMs: nowMs() };
      const results = await database.transaction((queries, commitBehind) =>
        runSteps(queries, steps, options, commitBehind),
      );
      this.#failure = undefined;
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
    } catch (error) {
      if (codeOf(error) === 'database_unavailable') {
        this.#failure = { error: error as AppError, untilMs: clock.nowMs() + RETRY_MS };
        for (const { reject } of batch) reject(error);
      } else if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await this.#commit([one]);
    }
  }
}

/** For a step that was not sent, because one before it found the database away. */
function notAsked({ code, message, cause }: AppError): AppError {
  return new AppError(code, message, {}, { cause });
}

function tooMany(): AppError {
  const message = `${MAX_WAITING} steps wait for the database, which is too slow; try again later`;
  return new AppError('database_unavailable', message, { waiting: MAX_WAITING });
}

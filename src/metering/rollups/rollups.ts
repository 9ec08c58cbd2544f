import { every, isError, releaseMemory, type Clock, type LogEntry } from '../../base/index.js';
import type { WriteCommitter } from '../database/committer.js';
import type { DatabaseSettings } from '../database/settings.js';
import type { PartSum, PlacedSpan, RollupTable, SpendRow } from './rollup-table.js';
import { countRequest } from './span.js';
import { SpanCounter, type PartKind } from './span-counter.js';
import type { SpendTable } from './spend-table.js';
import {
  KEPT_DAYS,
  startOf,
  STEP_MS,
  type ComparedKind,
  type Scope,
  type ScopeKind,
  type RollupStep,
} from './steps.js';

/** Interval of rollups of new rows. */
const ROLL_MS = 2_000;
/** Rows that are read in one turn of the event loop: some 3 ms, in which no request is served. */
const SLICE = 500;
/** Rows of one transaction. More rows write fewer spans: some 500 for an hour of 200 models. */
const BATCH = 20_000;
/** Spans of one transaction, and those of the last slice: some 30 ms. Rows of many keys have a span for each key. */
const MAX_SPANS = 1_000;
/**
 * After so many rows in a row, as after a migration, their memory is freed: V8 otherwise grows from 50 MB to 330. It takes a tenth
 * of a second of some two with 50,000 keys.
 */
const RELEASE_ROWS = 10 * BATCH;
/** The start of the next batch, in the database. */
const WATERMARK = 'rollup_seq';
const SPEND_WATERMARK = 'spend_hour_ms';
/** Keys may be 50,000: they have days alone, as their usage has. */
const KINDS = ['m:', 'r:', { kind: 'k:', steps: ['day'] }] as const satisfies readonly (
  | ScopeKind
  | PartKind<ScopeKind>
)[];
/** Spans that one transaction removes. */
const REMOVED = 2_000;

/** Options of rollups. */
export interface RollupsOptions {
  readonly table: RollupTable;
  readonly spend: SpendTable;
  readonly settings: DatabaseSettings;
  readonly committer: WriteCommitter;
  readonly clock: Clock;
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
}

/**
 * Sums of the request log by minute, hour and day, kept by watermark: each row is counted once, in the transaction that moves
 * the watermark behind it, also over a crash. No chart reads the request log.
 */
export class Rollups {
  readonly #options: RollupsOptions;
  readonly #stop: () => void;
  #seq: number;
  #spendMs: number;
  #isBehind = true;
  #rolling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RollupsOptions) {
    this.#options = options;
    const { settings, clock } = options;
    this.#seq = Number(settings.get(WATERMARK) ?? 0);
    this.#spendMs = Number(settings.get(SPEND_WATERMARK) ?? 0);
    this.#stop = every(ROLL_MS, clock, () => void this.roll());
    void this.roll();
  }

  /** The last row that is counted. */
  get throughSeq(): number {
    return this.#seq;
  }

  /** Whether all rows except the newest are counted. */
  get isComplete(): boolean {
    return !this.#isBehind;
  }

  /** Counts the rows, unless they are too many to wait for: then counting continues in the background. */
  refresh(): Promise<void> {
    return this.#isBehind ? Promise.resolve() : this.roll();
  }

  /** Counts the rows. Resolves when all are counted, or when the database refuses the write. */
  roll(): Promise<void> {
    this.#rolling ??= this.#rollAll().finally(() => (this.#rolling = undefined));
    return this.#rolling;
  }

  /** The spans of a scope that begin in a time. */
  spans(step: RollupStep, scope: Scope, fromMs: number, toMs: number): readonly PlacedSpan[] {
    return this.#options.table.spans(step, scope, fromMs, toMs);
  }

  /** Sums of all models, or of all runtimes. */
  parts(step: RollupStep, kind: ComparedKind, fromMs: number, toMs: number): readonly PartSum[] {
    return this.#options.table.parts(step, kind, fromMs, toMs);
  }

  /** Charges, by hour or by day. */
  spend(step: Exclude<RollupStep, 'minute'>, fromMs: number, toMs: number, model?: string): readonly SpendRow[] {
    const { spend, committer } = this.#options;
    committer.flush();
    return step === 'hour' ? spend.hours(fromMs, toMs, model) : spend.days(fromMs, toMs, this.#spendMs, model);
  }

  /** Removes some of the rows past their retention, within a transaction of the caller. Returns whether there may be more. */
  removeOld(): boolean {
    const { table, spend, now } = this.#options;
    const before = (step: RollupStep): number => startOf(step, now() - KEPT_DAYS[step] * STEP_MS.day);
    if (table.removeKeysBefore(before('day'), REMOVED) === REMOVED) return true;
    for (const step of ['minute', 'hour', 'day'] as const) table.removeBefore(step, before(step));
    spend.removeBefore(Math.min(before('hour'), this.#spendMs), before('day'));
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#rolling;
  }

  async #rollAll(): Promise<void> {
    const { committer, settings, log } = this.#options;
    try {
      let numRows = 0;
      for (let isMore = true; isMore && !this.#isClosed;) {
        if (!committer.flush()) return;
        const { rows, lastSeq, counter, isFull } = await this.#readBatch();
        // A commit may have to wait for the disk: none for nothing.
        if (rows > 0 && !this.#isClosed) await committer.write(() => this.#writeBatch(lastSeq, counter));
        isMore = isFull;
        this.#isBehind = isMore;
        numRows += rows;
        if (numRows < RELEASE_ROWS) continue;
        numRows = 0;
        releaseMemory();
      }
      if (this.#isSpendOver()) await committer.write(() => this.#rollSpend());
    } catch (error) {
      // The next one tries again from the watermark.
      this.#seq = Number(settings.get(WATERMARK) ?? 0);
      this.#spendMs = Number(settings.get(SPEND_WATERMARK) ?? 0);
      log({ event: 'rollup failed', reason: isError(error) ? error.message : String(error) });
    }
  }

  /** Counts the next rows. They are never changed, and none is removed before it is counted. */
  async #readBatch(): Promise<Batch> {
    const batch: Batch = { rows: 0, lastSeq: this.#seq, counter: new SpanCounter(KINDS), isFull: false };
    while (!batch.isFull && !this.#isClosed) {
      const rows = this.#options.table.rowsAfter(batch.lastSeq, SLICE);
      for (const row of rows) {
        batch.counter.add(row.atMs, [row.model, row.runtimeId, row.keyId], (span) => countRequest(span, row));
      }
      batch.rows += rows.length;
      batch.lastSeq = rows.at(-1)?.seq ?? batch.lastSeq;
      if (rows.length < SLICE) break;
      batch.isFull = batch.rows >= BATCH || batch.counter.size >= MAX_SPANS;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return batch;
  }

  /** Within a transaction. */
  #writeBatch(lastSeq: number, counter: SpanCounter<ScopeKind>): void {
    const { table, settings } = this.#options;
    for (const { step, scope, startMs, span } of counter.spans()) table.add(step, scope, startMs, span);
    settings.set(WATERMARK, String(lastSeq));
    this.#seq = lastSeq;
  }

  /** A clock that goes back a little settles into the hour before: an hour is added up when it is surely over. */
  #hoursOverMs(): number {
    return startOf('hour', this.#options.now() - 2 * STEP_MS.hour);
  }

  #isSpendOver(): boolean {
    return !this.#isClosed && this.#hoursOverMs() > this.#spendMs && this.#options.spend.hasHours();
  }

  /** Within a transaction: hours that are over become part of their day. */
  #rollSpend(): void {
    const { spend, settings } = this.#options;
    const untilMs = this.#hoursOverMs();
    spend.addToDays(this.#spendMs, untilMs);
    settings.set(SPEND_WATERMARK, String(untilMs));
    this.#spendMs = untilMs;
  }
}

/** Rows that are counted and not yet written. */
interface Batch {
  rows: number;
  lastSeq: number;
  readonly counter: SpanCounter<ScopeKind>;
  /** Whether it ended before the newest row. */
  isFull: boolean;
}

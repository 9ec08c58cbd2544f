import { every, isError, type Clock, type LogEntry } from '../../base/index.js';
import type { Committer } from '../database/committer.js';
import type { Settings } from '../database/settings.js';
import type { PartSum, PlacedSpan, RollupTable, SpendRow } from './rollup-table.js';
import { countRequest, emptySpan, type Span } from './span.js';
import type { SpendTable } from './spend-table.js';
import { KEPT_DAYS, startOf, STEP_MS, type Scope, type ScopeKind, type Step } from './steps.js';

/** How often what was written since is rolled up. */
const ROLL_MS = 2_000;
/** Rows of one transaction: some 15 ms, in which nobody else is served. */
const BATCH = 2_000;
/** Where the next batch goes on, in the database. */
const WATERMARK = 'rollup_seq';
const SPEND_WATERMARK = 'spend_hour_ms';

/** What rollups are made of. */
export interface RollupsOptions {
  readonly table: RollupTable;
  readonly spend: SpendTable;
  readonly settings: Settings;
  readonly committer: Committer;
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

  /** Whether all rows but those of the last moments are counted. */
  get isComplete(): boolean {
    return !this.#isBehind;
  }

  /** Counts what is there. Resolves when there is nothing more, or when it cannot be written now. */
  roll(): Promise<void> {
    this.#rolling ??= this.#rollAll().finally(() => (this.#rolling = undefined));
    return this.#rolling;
  }

  /** The spans of a scope that begin in a time. */
  spans(step: Step, scope: Scope, fromMs: number, toMs: number): readonly PlacedSpan[] {
    return this.#options.table.spans(step, scope, fromMs, toMs);
  }

  /** Sums of all models, or of all runtimes. */
  parts(step: Step, kind: ScopeKind, fromMs: number, toMs: number): readonly PartSum[] {
    return this.#options.table.parts(step, kind, fromMs, toMs);
  }

  /** What was charged, by hour or by day. */
  spend(step: Exclude<Step, 'minute'>, fromMs: number, toMs: number, model?: string): readonly SpendRow[] {
    const { spend, committer } = this.#options;
    committer.flush();
    return step === 'hour' ? spend.hours(fromMs, toMs, model) : spend.days(fromMs, toMs, this.#spendMs, model);
  }

  /** Removes what is past its time, within a transaction of the caller's. */
  removeOld(): void {
    const { table, spend, now } = this.#options;
    const before = (step: Step): number => startOf(step, now() - KEPT_DAYS[step] * STEP_MS.day);
    for (const step of ['minute', 'hour', 'day'] as const) table.removeBefore(step, before(step));
    spend.removeBefore(Math.min(before('hour'), this.#spendMs), before('day'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#rolling;
  }

  async #rollAll(): Promise<void> {
    const { committer, table, log } = this.#options;
    try {
      for (let isMore = true; isMore && !this.#isClosed;) {
        if (!committer.flush()) return;
        // A commit may have to wait for the disk: none for nothing.
        let rows = table.rowsAfter(this.#seq, 1).length;
        if (rows > 0) await committer.write(() => void (rows = this.#rollBatch()));
        this.#isBehind = rows === BATCH;
        isMore = this.#isBehind;
        // Others are served between two batches.
        if (isMore) await new Promise((resolve) => setImmediate(resolve));
      }
      if (this.#isSpendOver()) await committer.write(() => this.#rollSpend());
    } catch (error) {
      // The next one tries again from the watermark.
      this.#seq = Number(this.#options.settings.get(WATERMARK) ?? 0);
      this.#spendMs = Number(this.#options.settings.get(SPEND_WATERMARK) ?? 0);
      log({ event: 'rollup failed', reason: isError(error) ? error.message : String(error) });
    }
  }

  /** Within a transaction. How many rows there were. */
  #rollBatch(): number {
    const { table, settings } = this.#options;
    const rows = table.rowsAfter(this.#seq, BATCH);
    const spans = new Map<string, { step: Step; scope: Scope; startMs: number; span: Span }>();
    const count = (step: Step, scope: Scope, row: (typeof rows)[number]): void => {
      const startMs = startOf(step, row.atMs);
      const place = `${step} ${startMs} ${scope}`;
      const found = spans.get(place) ?? { step, scope, startMs, span: emptySpan() };
      spans.set(place, found);
      countRequest(found.span, row);
    };
    for (const row of rows) {
      count('minute', '', row);
      for (const step of ['hour', 'day'] as const) {
        count(step, '', row);
        if (row.model !== undefined) count(step, `m:${row.model}`, row);
        if (row.runtimeId !== undefined) count(step, `r:${row.runtimeId}`, row);
      }
    }
    for (const { step, scope, startMs, span } of spans.values()) table.add(step, scope, startMs, span);
    const last = rows.at(-1);
    if (last === undefined) return 0;
    settings.set(WATERMARK, String(last.seq));
    this.#seq = last.seq;
    return rows.length;
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

/**
 * Decides which sequences run in the next step. Prefill and decode rows share one batch under one budget of rows.
 * Decoding sequences come first, then prompts in chunks: the oldest of each caller, then the second of each. When the
 * cache is full the newest sequence releases its blocks and waits: its token list is enough to go on later. When all
 * slots are taken and a caller has few, the newest sequence of the caller with most does the same. Source: vLLM's
 * token-budget scheduler (arXiv 2309.06180) with chunked prefill (Sarathi-Serve, OSDI '24).
 */

import { AppError, assert, present, Turns } from '../../base/index.js';
import type { KvCache } from '../cache/kv-cache.js';
import type { Sequence } from '../sequence.js';
import { StepBudget } from './step-budget.js';
import { StepPlan, type ScheduledRows } from './step-plan.js';
import { AdmissionQueue } from './admission-queue.js';

/** Limits of one engine. */
export interface SchedulerLimits {
  /** Rows of one step. */
  readonly maxRows: number;
  /** Rows of one sequence's prompt in one step, however fast the machine is. */
  readonly chunkRows: number;
  /** Sequences in one step. */
  readonly maxSequences: number;
  /** Sequences that may wait while `maxSequences` run. */
  readonly maxWaiting: number;
  /** Fits prompts' chunks to the duration of steps, so that decoding sequences hardly slow down. Default true. */
  readonly adaptChunks?: boolean;
}

/**
 * Limit of an answer's tokens that go through the model in one step, before any prompt; a preempted answer may have
 * thousands.
 */
const MAX_FORCED_ROWS = 8;

/** Returns draft tokens of a sequence, or none. */
export type Drafter = (sequence: Sequence) => readonly number[];

/** The queue and the running set. */
export class Scheduler {
  readonly #limits: SchedulerLimits;
  readonly #cache: KvCache;
  readonly #waiting: AdmissionQueue;
  readonly #budget: StepBudget;
  /** Oldest first. */
  readonly #running: Sequence[] = [];

  constructor(limits: SchedulerLimits, cache: KvCache) {
    this.#limits = limits;
    this.#cache = cache;
    this.#waiting = new AdmissionQueue();
    this.#budget = new StepBudget(limits.maxRows);
  }

  get numWaiting(): number {
    return this.#waiting.size;
  }

  get numRunning(): number {
    return this.#running.length;
  }

  /**
   * Adds a sequence. The limit counts running ones too: after a restart all of them come at once, before any runs, and
   * none that was accepted before may be refused then. Errors: `overloaded`.
   */
  add(sequence: Sequence): void {
    const limit = this.#limits.maxWaiting + this.#limits.maxSequences;
    if (this.#waiting.size + this.#running.length >= limit) {
      const message = `${limit} sequences run or wait already, which is the limit; try again later`;
      throw new AppError('overloaded', message, { limit });
    }
    this.#waiting.push(sequence);
  }

  /** Removes a sequence, waiting or running, and releases its blocks. */
  remove(sequence: Sequence): void {
    const at = this.#running.indexOf(sequence);
    if (at !== -1) this.#running.splice(at, 1);
    this.#waiting.remove(sequence);
    this.#cache.retire(sequence);
    this.#waiting.sweep((caller) => this.#running.some((running) => running.caller === caller));
  }

  /** Sequences whose deadline has passed at `nowMs`. */
  expired(nowMs: number): Sequence[] {
    return [...this.#running, ...this.#waiting].filter(({ deadlineMs }) => deadlineMs <= nowMs);
  }

  /** Running sequences that wait for a mask and are left out of the next step. */
  held(): Sequence[] {
    return this.#running.filter(({ isHeld }) => isHeld);
  }

  /** The next step's rows; empty when nothing can run. Takes their blocks. `draft` is asked when one sequence runs alone. */
  schedule(draft: Drafter): ScheduledRows[] {
    this.#admit();
    const computed = this.#running.filter(({ isHeld }) => !isHeld);
    const decoding = computed.filter(isDecoding);
    const prefilling = computed.filter((sequence) => !isDecoding(sequence));
    const drafts = decoding.length === 1 && prefilling.length === 0 && this.#waiting.size === 0 ? draft : () => [];
    const step = new StepPlan(this.#limits.maxRows);
    for (const sequence of decoding)
      this.#place(step, { sequence, count: sequence.numPending, drafts: drafts(sequence), isChunk: false });
    const { adaptChunks = true, chunkRows } = this.#limits;
    let promptRows = this.#budget.promptRows(adaptChunks ? step.rows.length : 0);
    for (const sequence of inTurns(prefilling)) {
      const count = Math.min(sequence.numPending, promptRows, chunkRows);
      if (count > 0) promptRows -= this.#place(step, { sequence, count, drafts: [], isChunk: true });
    }
    return step.rows;
  }

  /** Records the duration of the step with `rows`. */
  learn(rows: readonly ScheduledRows[], elapsedMs: number): void {
    let [decodeRows, promptRows] = [0, 0];
    for (const { sequence, count, drafts, isChunk } of rows) {
      if (isChunk) promptRows += count;
      else decodeRows++;
      this.#waiting.serve(sequence.caller, count + drafts.length);
    }
    this.#budget.learn(decodeRows, promptRows, elapsedMs);
  }

  /**
   * Adds as many of the wanted rows to the step as fit; returns their number. Newer sequences, or this one, may be
   * preempted for it.
   */
  #place(step: StepPlan, wanted: ScheduledRows): number {
    const { sequence } = wanted;
    const count = Math.min(wanted.count, step.room);
    if (count === 0 || !this.#running.includes(sequence)) return 0;
    const kept = wanted.drafts.slice(0, step.room - count);
    while (!this.#cache.reserve(sequence, count + kept.length)) {
      const victim = this.#running.at(-1);
      assert(victim !== undefined, 'a running sequence asks for blocks');
      this.#preempt(victim);
      step.drop(victim);
      if (victim === sequence) return 0;
    }
    step.add({ ...wanted, count, drafts: kept });
    return count;
  }

  /** Admits waiting sequences while there is a slot, or one is given up, and blocks for all their tokens. */
  #admit(): void {
    for (;;) {
      const isFull = this.#running.length >= this.#limits.maxSequences;
      const taken = isFull ? new TakenPlaces(this.#running) : undefined;
      const next = this.#waiting.next(
        (sequence) =>
          (taken === undefined || taken.giverFor(sequence) !== undefined) && !this.#isPromptUnderWay(sequence),
      );
      if (next === undefined) return;
      const giver = taken?.giverFor(next);
      if (giver !== undefined) this.#preempt(giver);
      const sibling = this.#running.find((running) => isComputedSibling(running, next));
      const isTaken =
        sibling !== undefined && next.numGenerated === 0
          ? this.#cache.fork(sibling, next, this.#running)
          : this.#cache.admit(next, this.#running);
      if (!isTaken) return;
      this.#waiting.remove(next);
      this.#running.push(next);
    }
  }

  /** Whether a running sequence computes the same prompt now: its siblings wait to share it. */
  #isPromptUnderWay(sequence: Sequence): boolean {
    const { group } = sequence.request;
    if (group === undefined) return false;
    return this.#running.some(
      (running) => running.request.group === group && running.numComputed < running.promptLength,
    );
  }

  #preempt(victim: Sequence): void {
    this.#running.splice(this.#running.indexOf(victim), 1);
    this.#cache.retire(victim);
    this.#waiting.unshift(victim);
  }
}

/** Whether it continues an answer: with one token, or with a few forced by its constraint. */
function isDecoding({ numPending, numComputed, promptLength }: Sequence): boolean {
  return numPending === 1 || (numPending <= MAX_FORCED_ROWS && numComputed >= promptLength);
}

/** The oldest of each caller, then the second of each: a caller with many requests does not delay one with few. */
function inTurns(sequences: readonly Sequence[]): Sequence[] {
  const turns = new Turns<Sequence>();
  for (const sequence of sequences) turns.push(sequence.caller, sequence);
  return sequences.map(() => present(turns.take(), 'each has one turn'));
}

function isComputedSibling(running: Sequence, next: Sequence): boolean {
  return (
    next.request.group !== undefined &&
    running.request.group === next.request.group &&
    running.numComputed >= running.promptLength
  );
}

/** Share of all slots that a late caller gets: an eighth, which leaves most answers undisturbed. */
const KEPT_PART = 8;

/** The holders of a step's slots, all of which are taken. */
class TakenPlaces {
  readonly #running: readonly Sequence[];
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  readonly #kept: number;

  constructor(running: readonly Sequence[]) {
    this.#running = running;
    for (const { caller } of running) this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
    this.#most = Math.max(...this.#counts.values());
    this.#kept = Math.max(1, Math.floor(running.length / KEPT_PART));
  }

  /**
   * The sequence that gives its slot to `newcomer`: the newest of the caller with most, unless it is more urgent.
   * Undefined: the newcomer's caller has its share already, or no other has two more. Without this rule a caller with
   * as many long answers as slots would keep all others waiting for the end of one.
   */
  giverFor(newcomer: Sequence): Sequence | undefined {
    const own = this.#counts.get(newcomer.caller) ?? 0;
    if (own >= this.#kept || this.#most < own + 2) return undefined;
    return this.#running.findLast(
      ({ caller, priority }) => this.#counts.get(caller) === this.#most && priority <= newcomer.priority,
    );
  }
}

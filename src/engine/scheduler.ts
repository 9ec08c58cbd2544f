/**
 * Who runs in the next step. Prefill and decode rows share one batch under one budget of rows; decoding sequences
 * come first, then prompts in chunks, oldest first. When the cache is full the newest sequence gives its blocks back
 * and waits: its token list is all that is needed to go on later.
 * Source: vLLM's token-budget scheduler (arXiv 2309.06180) with chunked prefill (Sarathi-Serve, OSDI '24).
 */

import { AppError, assert } from '../base/index.js';
import { KV_BLOCK_TOKENS } from '../compute/index.js';
import type { BlockPool } from './block-pool.js';
import type { Sequence } from './sequence.js';

/** Limits of one engine. */
export interface SchedulerLimits {
  /** Rows of one step. */
  readonly maxRows: number;
  /** Rows of one sequence's prompt in one step: what keeps a long prompt from stalling others. */
  readonly chunkRows: number;
  /** Sequences in one step. */
  readonly maxSequences: number;
  /** Sequences that may wait while `maxSequences` run. */
  readonly maxWaiting: number;
}

/** A sequence's part of a step: its next `count` uncomputed tokens. */
export interface ScheduledRows {
  readonly sequence: Sequence;
  readonly count: number;
}

/** The queue and the running set. */
export class Scheduler {
  readonly #limits: SchedulerLimits;
  readonly #pool: BlockPool;
  /** Oldest first. */
  readonly #waiting: Sequence[] = [];
  readonly #running: Sequence[] = [];

  constructor(limits: SchedulerLimits, pool: BlockPool) {
    this.#limits = limits;
    this.#pool = pool;
  }

  get numWaiting(): number {
    return this.#waiting.length;
  }

  get numRunning(): number {
    return this.#running.length;
  }

  /**
   * Takes a sequence in. The limit counts those that run too: after a restart all of them come at once, before any
   * runs, and none that was taken in before may be refused then. Errors: `overloaded`.
   */
  add(sequence: Sequence): void {
    const limit = this.#limits.maxWaiting + this.#limits.maxSequences;
    if (this.#waiting.length + this.#running.length >= limit) {
      const message = `${limit} sequences run or wait already, which is the limit; try again later`;
      throw new AppError('overloaded', message, { limit });
    }
    this.#waiting.push(sequence);
  }

  /** Takes a sequence out, wherever it is, and frees its blocks. */
  remove(sequence: Sequence): void {
    for (const list of [this.#running, this.#waiting]) {
      const at = list.indexOf(sequence);
      if (at !== -1) list.splice(at, 1);
    }
    this.#release(sequence);
  }

  /** The next step's rows; empty when nothing can run. Their blocks are taken. */
  schedule(): ScheduledRows[] {
    this.#admit();
    const rows: ScheduledRows[] = [];
    let budget = this.#limits.maxRows;
    const decoding = this.#running.filter((sequence) => sequence.numPending === 1);
    const prefilling = this.#running.filter((sequence) => sequence.numPending > 1);
    for (const sequence of [...decoding, ...prefilling]) {
      if (budget === 0) break;
      if (!this.#running.includes(sequence)) continue;
      const count = Math.min(sequence.numPending, budget, this.#limits.chunkRows);
      if (!this.#reserve(sequence, count, rows)) continue;
      rows.push({ sequence, count });
      budget -= count;
    }
    return rows;
  }

  /** Lets waiting sequences run while there is a place, and blocks for all tokens they have and one more. */
  #admit(): void {
    let promised = 0;
    while (this.#running.length < this.#limits.maxSequences) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const blocks = blocksFor(next.tokenIds.length + 1);
      if (blocks + promised > this.#pool.numFree) return;
      promised += blocks;
      this.#waiting.shift();
      this.#running.push(next);
    }
  }

  /** Takes the blocks for `count` more tokens; preempts newer sequences to get them. False when `sequence` itself had to go. */
  #reserve(sequence: Sequence, count: number, scheduled: ScheduledRows[]): boolean {
    const needed = blocksFor(sequence.numComputed + count);
    while (sequence.blocks.length < needed) {
      const block = this.#pool.take();
      if (block !== undefined) {
        sequence.blocks.push(block);
        continue;
      }
      const victim = this.#running.at(-1);
      assert(victim !== undefined, 'a running sequence asks for blocks');
      this.#preempt(victim, scheduled);
      if (victim === sequence) return false;
    }
    return true;
  }

  #preempt(victim: Sequence, scheduled: ScheduledRows[]): void {
    this.#running.pop();
    this.#release(victim);
    this.#waiting.unshift(victim);
    const at = scheduled.findIndex((rows) => rows.sequence === victim);
    if (at !== -1) scheduled.splice(at, 1);
  }

  #release(sequence: Sequence): void {
    this.#pool.free(sequence.blocks);
    sequence.blocks = [];
    sequence.numComputed = 0;
  }
}

/** Blocks that hold `numTokens` tokens. */
export function blocksFor(numTokens: number): number {
  return Math.ceil(numTokens / KV_BLOCK_TOKENS);
}

import { present } from '../base/index.js';
import {
  createBatch,
  KV_BLOCK_TOKENS,
  type Batch,
  type Device,
  type KvTables,
  type SampleRule,
} from '../compute/index.js';
import type { KvCache } from './cache/kv-cache.js';
import type { Towers } from './media/towers.js';
import type { Sequence } from './sequence.js';
import type { MediaItem } from './request.js';
import type { ScheduledRows } from './scheduling/step-plan.js';

/** A sequence that is ready for sampling: logits of its last token, then of each draft. */
export interface ReadySequence {
  readonly sequence: Sequence;
  readonly drafts: readonly number[];
  /** Index of the first of its logits. */
  readonly firstLogits: number;
}

/** Rows of sequences → a batch → logits, or hidden states where a sequence pools them. */
export class Runner {
  readonly #device: Device;
  readonly #batch: Batch;
  /** Of each pool. */
  readonly #kv: readonly KvTables[];
  readonly #cache: KvCache;
  readonly #towers: Towers;

  constructor(device: Device, cache: KvCache, towers: Towers) {
    this.#device = device;
    this.#towers = towers;
    this.#cache = cache;
    this.#batch = createBatch(device);
    this.#kv = [this.#batch, ...this.#batch.windows];
  }

  /** Lets towers make the rows of media that the scheduled rows need, before `run`. */
  encode(scheduled: readonly ScheduledRows[]): void {
    for (const { sequence, count } of scheduled) {
      const { media, cacheScope } = sequence.request;
      if (media === undefined) continue;
      const end = sequence.numComputed + count;
      const isNeeded = ({ at, rows }: MediaItem): boolean => at < end && at + rows > sequence.numComputed;
      for (const item of media.filter(isNeeded)) this.#towers.rowsOf(item, cacheScope);
    }
  }

  /** Runs the scheduled rows. Returns the sequences whose last token went through, with the indices of their logits. */
  run(scheduled: readonly ScheduledRows[]): ReadySequence[] {
    const ready: ReadySequence[] = [];
    this.#begin(scheduled.map(({ sequence }) => sequence));
    scheduled.forEach(({ sequence, count, drafts }, index) => {
      const before = this.#batch.rows;
      this.#addRows(sequence, index, sequence.tokenIds, sequence.numComputed, count);
      for (const [row, slot] of this.#cache.checkpoints(sequence, count)) this.#batch.checkpoints[before + row] = slot;
      sequence.numComputed += count;
      if (sequence.numPending > 0 || sequence.pool !== undefined) return;
      ready.push({ sequence, drafts, firstLogits: this.#batch.numLogitRows });
      this.#addRows(sequence, index, drafts, 0, drafts.length);
      for (let back = drafts.length; back >= 0; back--) this.#wantLogits(this.#batch.rows - 1 - back);
    });
    this.#device.run(this.#batch);
    this.#pool(scheduled);
    return ready;
  }

  /** Gives the hidden states of the last batch to the sequences with pooling. */
  #pool(scheduled: readonly ScheduledRows[]): void {
    const { rows, sequences, positions } = this.#batch;
    for (let row = 0; row < rows; row++) {
      const { sequence } = present(scheduled[sequences[row] as number], 'each row has a sequence');
      sequence.pool?.add(positions[row] as number, this.#device.hidden(row));
    }
  }

  /** Runs the next `count` tokens of one sequence with the logits of each. */
  score(sequence: Sequence, count: number): void {
    this.#begin([sequence]);
    this.#addRows(sequence, 0, sequence.tokenIds, sequence.numComputed, count);
    sequence.numComputed += count;
    for (let row = 0; row < count; row++) this.#wantLogits(row);
    this.#device.run(this.#batch);
  }

  /** A token from the logits of this index. */
  sample(index: number, rule: SampleRule): number {
    return this.#device.sample(index, rule);
  }

  /** f32 [vocabSize]; valid until the next run. */
  logits(index: number): Float32Array {
    return this.#device.logits(index);
  }

  #begin(sequences: readonly Sequence[]): void {
    this.#batch.rows = 0;
    this.#batch.numLogitRows = 0;
    this.#batch.given.length = 0;
    for (const [pool, kv] of this.#kv.entries()) kv.blockTables = sequences.map(({ tables }) => tables[pool] ?? []);
    this.#batch.states = sequences.flatMap(({ state }) => state ?? []);
  }

  /** Appends rows for `count` tokens from `tokenIds[from]` on, at the positions after the sequence's rows in the batch. */
  #addRows(sequence: Sequence, index: number, tokenIds: readonly number[], from: number, count: number): void {
    const batch = this.#batch;
    for (let i = 0; i < count; i++) {
      const position = sequence.numComputed + i;
      const row = batch.rows + i;
      batch.tokenIds[row] = present(tokenIds[from + i], 'token in range');
      batch.positions[row] = position;
      for (const [pool, { slots }] of this.#kv.entries()) {
        const block = present(sequence.tables[pool]?.[Math.floor(position / KV_BLOCK_TOKENS)], 'blocks are reserved');
        slots[row] = block * KV_BLOCK_TOKENS + (position % KV_BLOCK_TOKENS);
      }
      const item = sequence.mediaAt(position);
      if (item !== undefined) batch.given.push({ row, values: this.#rowOf(sequence, item, position) });
      batch.sequences[row] = index;
      batch.checkpoints[row] = -1;
    }
    batch.rows += count;
  }

  /** The values of the row of an item at `position`, f32 [hiddenSize]. */
  #rowOf({ request }: Sequence, item: MediaItem, position: number): Float32Array {
    const all = this.#towers.rowsOf(item, request.cacheScope);
    const width = all.length / item.rows;
    const row = position - item.at;
    return all.subarray(row * width, (row + 1) * width);
  }

  #wantLogits(row: number): void {
    this.#batch.logitRows[this.#batch.numLogitRows] = row;
    this.#batch.numLogitRows++;
  }
}

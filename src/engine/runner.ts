import { present } from '../base/index.js';
import { createBatch, KV_BLOCK_TOKENS, type Batch, type Device } from '../compute/index.js';
import type { ScheduledRows } from './scheduler.js';
import type { Sequence } from './sequence.js';

/** Rows of sequences → a batch → logits. */
export class Runner {
  readonly #device: Device;
  readonly #batch: Batch;

  constructor(device: Device) {
    this.#device = device;
    this.#batch = createBatch(device.plan);
  }

  /**
   * Runs the scheduled rows. Returns the sequences whose last token went through, in the order of their logits:
   * `logits(i)` belongs to the i-th.
   */
  run(scheduled: readonly ScheduledRows[]): Sequence[] {
    const ready: Sequence[] = [];
    this.#begin(scheduled);
    scheduled.forEach(({ sequence, count }, index) => {
      this.#addRows(sequence, count, index);
      if (sequence.numPending > 0) return;
      this.#wantLogits(this.#batch.rows - 1);
      ready.push(sequence);
    });
    this.#device.run(this.#batch);
    return ready;
  }

  /** Runs the next `count` tokens of one sequence and wants the logits of each of them. */
  score(sequence: Sequence, count: number): void {
    this.#begin([{ sequence, count }]);
    this.#addRows(sequence, count, 0);
    for (let row = 0; row < count; row++) this.#wantLogits(row);
    this.#device.run(this.#batch);
  }

  /** f32 [vocabSize]; valid until the next run. */
  logits(index: number): Float32Array {
    return this.#device.logits(index);
  }

  #begin(scheduled: readonly ScheduledRows[]): void {
    this.#batch.rows = 0;
    this.#batch.numLogitRows = 0;
    this.#batch.blockTables = scheduled.map(({ sequence }) => sequence.blocks);
  }

  #addRows(sequence: Sequence, count: number, index: number): void {
    const batch = this.#batch;
    for (let i = 0; i < count; i++) {
      const position = sequence.numComputed + i;
      const row = batch.rows + i;
      const block = present(sequence.blocks[Math.floor(position / KV_BLOCK_TOKENS)], 'blocks are reserved');
      batch.tokenIds[row] = present(sequence.tokenIds[position], 'position in range');
      batch.positions[row] = position;
      batch.slots[row] = block * KV_BLOCK_TOKENS + (position % KV_BLOCK_TOKENS);
      batch.sequences[row] = index;
    }
    batch.rows += count;
    sequence.numComputed += count;
  }

  #wantLogits(row: number): void {
    this.#batch.logitRows[this.#batch.numLogitRows] = row;
    this.#batch.numLogitRows++;
  }
}

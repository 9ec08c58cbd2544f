import type { Sequence } from '../sequence.js';

/** A sequence's part of a step: its next `count` uncomputed tokens, then draft tokens. */
export interface ScheduledRows {
  readonly sequence: Sequence;
  readonly count: number;
  readonly drafts: readonly number[];
  /** Whether they are a chunk of a prompt, however short, and not decoding. */
  readonly isChunk: boolean;
}

/** A step under construction, of at most `maxRows`. */
export class StepPlan {
  readonly rows: ScheduledRows[] = [];
  #room: number;

  constructor(maxRows: number) {
    this.#room = maxRows;
  }

  /** Rows that still fit. */
  get room(): number {
    return this.#room;
  }

  add(rows: ScheduledRows): void {
    this.rows.push(rows);
    this.#room -= rows.count + rows.drafts.length;
  }

  /** Removes the rows of `sequence`, if it has any. */
  drop(sequence: Sequence): void {
    const at = this.rows.findIndex((rows) => rows.sequence === sequence);
    const [dropped] = at === -1 ? [] : this.rows.splice(at, 1);
    if (dropped !== undefined) this.#room += dropped.count + dropped.drafts.length;
  }
}

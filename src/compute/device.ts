/**
 * The coordinator's side of compute: takes a batch, lets the team run the program over it, hands out logits. It is
 * thread 0 of the team and computes too, with as many of the others as were fastest.
 */

import { present } from '../base/index.js';
import { calibrate, PROBE_ROWS } from './calibrate.js';
import { ALL_PASSES, type Control, type TeamStep } from './control.js';
import { createExecutor } from './executor.js';
import { createHiddenReader } from './hidden-reader.js';
import type { MemoryPlan } from './memory-plan.js';
import type { Program } from './program.js';
import { rowParts } from './row-layout.js';
import { createLoneRowTeam, createRowTeam } from './row-team.js';
import { placeLogitRow, Row } from './row.js';
import { createTeamViews, teamSizes } from './team-views.js';
import type { StepTime } from './step-time.js';
import { ThreadChoice } from './thread-choice.js';
import type { Bank } from './thread-view.js';

/** One step's rows. Arrays may be longer than `rows` and `numLogitRows` say. */
export interface Batch {
  rows: number;
  /** [rows] */
  readonly tokenIds: Int32Array;
  readonly positions: Int32Array;
  /** Where each row's key and value go: block · 32 + place. */
  readonly slots: Int32Array;
  /** Which block table each row reads: an index into `blockTables`. */
  readonly sequences: Int32Array;
  /** Block ids of each sequence in the batch, in order. */
  blockTables: readonly (readonly number[])[];
  /** Rows whose logits are wanted. [numLogitRows] */
  readonly logitRows: Int32Array;
  numLogitRows: number;
}

/** An empty batch of the plan's size. */
export function createBatch(plan: MemoryPlan): Batch {
  const { maxRows, maxSequences } = plan.capacity;
  return {
    rows: 0,
    tokenIds: new Int32Array(maxRows),
    positions: new Int32Array(maxRows),
    slots: new Int32Array(maxRows),
    sequences: new Int32Array(maxRows),
    blockTables: [],
    logitRows: new Int32Array(maxSequences),
    numLogitRows: 0,
  };
}

/** Runs batches. */
export interface Device {
  readonly plan: MemoryPlan;
  run(batch: Batch): void;
  /**
   * Measures how many threads are best, in a tenth of a second or, on a slow machine, some more; tiny models find it out in
   * their steps. Overwrites the first block of the KV cache, so it comes before the first batch.
   */
  calibrate(): void;
  /** Copies the keys and values of one block over another, in every layer. */
  copyBlock(from: number, to: number): void;
  /** Where a row of logits is sampled from, by as many threads as the last step took. */
  readonly row: Row;
  /** Logits of the i-th logit row of the last batch, f32 [vocabSize]; valid until the next run. */
  logits(index: number): Float32Array;
  /** Hidden state of row `row` of the last batch after the final norm, f32 [hiddenSize]; valid until the next call or run. */
  hidden(row: number): Float32Array;
}

/**
 * The device over `banks`. With a `control` block, its other threads must be running their loops; `choice` says how many
 * of them run a step; `onPass` is called after each pass of one.
 */
export function createDevice(
  program: Program,
  plan: MemoryPlan,
  banks: readonly Bank[],
  control?: Control,
  choice: Pick<ThreadChoice, 'begin' | 'choose' | 'learn'> = new ThreadChoice(teamSizes(control?.threads ?? 1)),
  onPass?: () => void,
): Device {
  const views = createTeamViews(program, plan, banks, control, 0);
  const executor = createExecutor(views, onPass);
  const writers = banks.map((bank, index) => createBatchWriter(program, plan, bank, index));
  const logitsBank = present(plan.opBanks.at(-1), 'a program ends with its logits');
  const logitsAt = present(plan.banks[logitsBank], 'planned bank').logits;
  const logitsMemory = present(banks[logitsBank], 'open bank').memory;
  const runStep = (step: TeamStep): StepTime => {
    const start = performance.now();
    const waitedMs = control?.waitedMs ?? 0;
    control?.start(step);
    executor.run(step);
    return { elapsedMs: performance.now() - start, waitedMs: (control?.waitedMs ?? 0) - waitedMs };
  };
  const place = placeLogitRow(program, plan, banks);
  const parts = rowParts(program.vocabSize, control?.threads ?? 1);
  let lastThreads = 1;
  const rowTeam =
    control === undefined || parts === 1
      ? createLoneRowTeam(place)
      : createRowTeam(place, control, () => Math.min(parts, lastThreads));
  return {
    plan,
    row: new Row(place, logitsMemory, program.vocabSize, rowTeam),
    run(batch) {
      for (const write of writers) write(batch);
      const { rows, numLogitRows } = batch;
      const threads = choice.choose(rows);
      lastThreads = threads;
      choice.learn(rows, runStep({ rows, logitRows: numLogitRows, threads, passes: ALL_PASSES }));
    },
    calibrate() {
      const batch = createProbeBatch(plan);
      for (const write of writers) write(batch);
      const best = calibrate(program, plan, teamSizes(control?.threads ?? 1), ({ rows, passes }, threads) => {
        return runStep({ rows, logitRows: 0, threads, passes }).elapsedMs;
      });
      if (best !== undefined) choice.begin(best);
    },
    copyBlock(from, to) {
      banks.forEach(({ memory }, index) => {
        const bytes = new Uint8Array(memory);
        for (const cache of Object.values(present(plan.banks[index], 'planned bank').caches)) {
          const source = cache + from * plan.kvBlockBytes;
          bytes.copyWithin(cache + to * plan.kvBlockBytes, source, source + plan.kvBlockBytes);
        }
      });
    },
    logits: (index) => new Float32Array(logitsMemory, logitsAt + index * plan.strides.logits, program.vocabSize),
    hidden: createHiddenReader(present(views[0], 'a step may run on one thread')),
  };
}

/** As many rows as probes need, of one sequence that begins. */
function createProbeBatch(plan: MemoryPlan): Batch {
  const batch = createBatch(plan);
  batch.rows = Math.min(PROBE_ROWS, plan.capacity.maxRows);
  for (let row = 0; row < batch.rows; row++) batch.positions[row] = batch.slots[row] = row;
  batch.blockTables = [[0]];
  return batch;
}

/** Copies a batch into one bank and computes the rope table of its rows there. */
function createBatchWriter(program: Program, plan: MemoryPlan, bank: Bank, index: number): (batch: Batch) => void {
  const at = present(plan.banks[index], 'planned bank');
  const { maxRows, maxSequences, maxBlocksPerSequence } = plan.capacity;
  const ints = (offset: number, length: number): Int32Array => new Int32Array(bank.memory, offset, length);
  const tokenIds = ints(at.tokenIds, maxRows);
  const positions = ints(at.positions, maxRows);
  const slots = ints(at.slots, maxRows);
  const sequences = ints(at.sequences, maxRows);
  const logitRows = ints(at.logitRows, maxSequences);
  const blockTables = ints(at.blockTables, maxSequences * maxBlocksPerSequence);
  const rope = new Float32Array(bank.memory, at.rope, maxRows * program.rotaryDim);
  return (batch) => {
    for (let row = 0; row < batch.rows; row++) {
      tokenIds[row] = batch.tokenIds[row] as number;
      positions[row] = batch.positions[row] as number;
      slots[row] = batch.slots[row] as number;
      sequences[row] = batch.sequences[row] as number;
      writeRope(rope, row * program.rotaryDim, batch.positions[row] as number, program.ropeFrequencies);
    }
    for (let i = 0; i < batch.numLogitRows; i++) logitRows[i] = batch.logitRows[i] as number;
    batch.blockTables.forEach((table, sequence) => blockTables.set(table, sequence * maxBlocksPerSequence));
  };
}

/** cos then sin of position · frequency for each pair; angles in f64, because f32 loses them at long contexts. */
function writeRope(table: Float32Array, at: number, position: number, frequencies: Float64Array): void {
  const pairs = frequencies.length;
  for (let pair = 0; pair < pairs; pair++) {
    const angle = position * (frequencies[pair] as number);
    table[at + pair] = Math.cos(angle);
    table[at + pairs + pair] = Math.sin(angle);
  }
}

/**
 * The coordinator's side of compute: takes a batch, lets the thread group run the graph over it, hands out logits. It is
 * thread 0 of the thread group and computes too, with as many of the others as were fastest.
 */

import { present, systemClock } from '../../../base/index.js';
import { calibrate, PROBE_ROWS } from './threads/calibrate.js';
import { ALL_OPS, type Control, type ThreadGroupStep } from './threads/control.js';
import { createExecutor } from './ops/executor.js';
import { createHiddenReader } from './logits/hidden-reader.js';
import { GIVEN_ROW, ropeTableBytes, rotaryDimOf, type MemoryPlan } from './memory/memory-plan.js';
import { createBatch, type Batch } from '../../batch.js';
import { fixedStates } from '../../ops/index.js';
import type { ComputeGraph } from '../../compute-graph.js';
import { paddedColumns } from '../../../weights/index.js';
import type { Device } from '../../device.js';
import { rowParts } from './logits/row-layout.js';
import { createLoneRowThread, createRowThreads } from './logits/row-threads.js';
import { placeLogitRow, Row } from './logits/row.js';
import { writeMeanTurn, writeTurn } from './memory/rope-tables.js';
import { createThreadGroupViews, threadGroupSizes } from './threads/thread-group-views.js';
import type { StepTime } from './threads/step-time.js';
import { ThreadChoice } from './threads/thread-choice.js';
import type { Segment } from './threads/thread-view.js';

/** A device that shows where its data lies: for tests and benches. */
export interface SegmentDevice extends Device {
  readonly plan: MemoryPlan;
  readonly row: Row;
  calibrate(): void;
}

/**
 * The device over `segments`. With a `control` block, its other threads must be running their loops, and `choice`
 * decides how many of them run a step. It calls `onOp` after each fused op.
 */
export function createDevice(
  graph: ComputeGraph,
  plan: MemoryPlan,
  segments: readonly Segment[],
  control?: Control,
  choice: Pick<ThreadChoice, 'begin' | 'choose' | 'learn'> = new ThreadChoice(threadGroupSizes(control?.threads ?? 1)),
  onOp?: () => void,
): SegmentDevice {
  const views = createThreadGroupViews(graph, plan, segments, control, 0);
  const executor = createExecutor(views, onOp);
  const writers = segments.map((segment, index) => createBatchWriter(graph, plan, segment, index));
  const logitsSegment = present(plan.opSegments.at(-1), 'a graph ends with its logits');
  const logitsAt = present(plan.segments[logitsSegment], 'planned segment').logits;
  const logitsMemory = present(segments[logitsSegment], 'open segment').memory;
  const logits = (index: number): Float32Array =>
    new Float32Array(logitsMemory, logitsAt + index * plan.strides.logits, graph.vocabSize);
  const runStep = (step: ThreadGroupStep): StepTime => {
    const start = systemClock.nowMs();
    const waitedMs = control?.waitedMs ?? 0;
    control?.start(step);
    executor.run(step);
    return { elapsedMs: systemClock.nowMs() - start, waitedMs: (control?.waitedMs ?? 0) - waitedMs };
  };
  const states = fixedStates(graph.ops);
  const place = placeLogitRow(graph, plan, segments);
  const parts = rowParts(graph.vocabSize, control?.threads ?? 1);
  let lastThreads = 1;
  const rowThreads =
    control === undefined || parts === 1
      ? createLoneRowThread(place)
      : createRowThreads(place, control, () => Math.min(parts, lastThreads));
  return {
    plan,
    capacity: plan.capacity,
    hostThreads: control?.threads ?? 1,
    row: new Row(place, logitsMemory, graph.vocabSize, rowThreads),
    run(batch) {
      for (const write of writers) write(batch);
      const { rows, numLogitRows } = batch;
      const threads = choice.choose(rows);
      lastThreads = threads;
      choice.learn(rows, runStep({ rows, logitRows: numLogitRows, threads, ops: ALL_OPS }));
    },
    // In a tenth of a second or, on a slow machine, some more; tiny models find their best number of threads in their steps.
    calibrate() {
      const batch = createProbeBatch(plan);
      for (const write of writers) write(batch);
      const best = calibrate(graph, plan, threadGroupSizes(control?.threads ?? 1), ({ rows, ops }, threads) => {
        return runStep({ rows, logitRows: 0, threads, ops }).elapsedMs;
      });
      if (best !== undefined) choice.begin(best);
    },
    copyBlock(from, to, pool = 0) {
      segments.forEach(({ memory }, index) => {
        const bytes = new Uint8Array(memory);
        for (const cache of Object.values(present(plan.segments[index], 'planned segment').caches)) {
          if (cache.pool !== pool) continue;
          const { at, blockBytes } = cache;
          const source = at + from * blockBytes;
          bytes.copyWithin(at + to * blockBytes, source, source + blockBytes);
        }
      });
    },
    copyState(from, to) {
      segments.forEach(({ memory }, index) => {
        const floats = new Float32Array(memory);
        for (const [name, at] of Object.entries(present(plan.segments[index], 'planned segment').states)) {
          const size = present(states.get(name), 'a state of the graph');
          const [source, target] = [from ?? 0, to].map((slot) => at / 4 + slot * size) as [number, number];
          if (from === undefined) floats.fill(0, target, target + size);
          else floats.copyWithin(target, source, source + size);
        }
      });
    },
    logits,
    sample: (index, rule) => rule.choose(logits(index)),
    hidden: createHiddenReader(present(views[0], 'a step may run on one thread')),
  };
}

/** As many rows as probes need, of one sequence that begins. */
function createProbeBatch(plan: MemoryPlan): Batch {
  const batch = createBatch(plan);
  batch.rows = Math.min(PROBE_ROWS, plan.capacity.maxRows);
  for (const kv of [batch, ...batch.windows]) {
    for (let row = 0; row < batch.rows; row++) batch.positions[row] = kv.slots[row] = row;
    kv.blockTables = [[0]];
  }
  batch.states = [0];
  return batch;
}

/** Copies a batch, with its given rows, into one segment and computes the rope table of its rows there. */
function createBatchWriter(
  graph: ComputeGraph,
  plan: MemoryPlan,
  segment: Segment,
  index: number,
): (batch: Batch) => void {
  const at = present(plan.segments[index], 'planned segment');
  const { maxRows, maxSequences, maxBlocksPerSequence } = plan.capacity;
  const ints = (offset: number, length: number): Int32Array => new Int32Array(segment.memory, offset, length);
  const tokenIds = ints(at.tokenIds, maxRows);
  const positions = ints(at.positions, maxRows);
  const slots = at.slots.map((offset) => ints(offset, maxRows));
  const sequences = ints(at.sequences, maxRows);
  const checkpoints = ints(at.checkpoints, maxRows);
  const sequenceStates = ints(at.sequenceStates, maxSequences);
  const logitRows = ints(at.logitRows, maxSequences);
  const hidden = new Float32Array(segment.memory, at.hidden, (maxRows * plan.strides.hidden) / 4);
  const blockTables = at.blockTables.map((offset) => ints(offset, maxSequences * maxBlocksPerSequence));
  graph.ropes.forEach((rope, number) => {
    const place = at.meanTurns + number * ropeTableBytes(graph, 1);
    writeMeanTurn(new Float32Array(segment.memory, place, rotaryDimOf(rope)), rope);
  });
  const ropes = graph.ropes.map((rope, number) => {
    const place = at.rope + number * ropeTableBytes(graph, maxRows);
    const rotaryDim = rotaryDimOf(rope);
    return { rope, rotaryDim, table: new Float32Array(segment.memory, place, maxRows * rotaryDim) };
  });
  return (batch) => {
    for (let row = 0; row < batch.rows; row++) {
      tokenIds[row] = batch.tokenIds[row] as number;
      positions[row] = batch.positions[row] as number;
      sequences[row] = batch.sequences[row] as number;
      checkpoints[row] = batch.checkpoints[row] as number;
      for (const { rope, rotaryDim, table } of ropes) {
        writeTurn(table, row * rotaryDim, batch.positions[row] as number, rope);
      }
    }
    for (const { row, values } of batch.given) {
      tokenIds[row] = GIVEN_ROW;
      const start = (row * plan.strides.hidden) / 4;
      hidden.fill(0, start, start + paddedColumns(values.length)).set(values, start);
    }
    for (let i = 0; i < batch.numLogitRows; i++) logitRows[i] = batch.logitRows[i] as number;
    sequenceStates.set(batch.states);
    for (const [pool, kv] of [batch, ...batch.windows].entries()) {
      slots[pool]?.set(kv.slots.subarray(0, batch.rows));
      kv.blockTables.forEach((table, sequence) => blockTables[pool]?.set(table, sequence * maxBlocksPerSequence));
    }
  };
}

// node dist/bench/engine/threads.js <artifact> [threads] [seconds]: whether the number of threads that a device chooses
// is the best one, JSON lines. Fixed numbers and the choice take turns in one process, so that all have the same machine.

import { availableParallelism } from 'node:os';
import { present } from '../../src/base/index.js';
import { createBatch } from '../../src/compute/index.js';
import { threadGroupSizes } from '../../src/compute/devices/cpu/threads/thread-group-views.js';
import { ThreadChoice } from '../../src/compute/devices/cpu/threads/thread-choice.js';
import { startDeviceThreadGroup } from './device-thread-group.js';

const threads = Number(process.argv[3] ?? availableParallelism());
const seconds = Number(process.argv[4] ?? 20);
/** Steps of a turn, by rows: a burst of decoding, a chunk of prefill. */
const TURNS = new Map([
  [1, 16],
  [64, 2],
]);

const learned = new ThreadChoice(threadGroupSizes(threads));
let fixed: number | undefined;
let measured: object | undefined;
const directory = present(process.argv[2], 'the first argument is an artifact');
const threadGroup = await startDeviceThreadGroup(directory, threads, {
  begin(best) {
    measured = best;
    learned.begin(best);
  },
  choose: (rows) => fixed ?? learned.choose(rows),
  learn: (rows, time) => (fixed === undefined ? learned.learn(rows, time) : undefined),
});
const { device } = threadGroup;
device.calibrate();

const batch = createBatch(device);
batch.blockTables = [[0, 1]];
batch.numLogitRows = 1;

/** Milliseconds of a turn of steps of `rows`. */
function turn(rows: number, steps: number): number {
  batch.rows = rows;
  for (let row = 0; row < rows; row++) batch.positions[row] = batch.slots[row] = row;
  batch.logitRows[0] = rows - 1;
  const start = performance.now();
  for (let step = 0; step < steps; step++) device.run(batch);
  return performance.now() - start;
}

const ways = [...threadGroupSizes(threads), 'chosen'] as const;
for (const [rows, steps] of TURNS) {
  const totals = new Map<number | string, number>();
  let turns = 0;
  for (const end = performance.now() + (seconds * 1000) / TURNS.size; performance.now() < end; turns++) {
    for (const way of ways) {
      fixed = way === 'chosen' ? undefined : way;
      totals.set(way, (totals.get(way) ?? 0) + turn(rows, steps));
    }
  }
  const perSecond = (ms: number): number => Math.round((turns * steps * rows * 10_000) / ms) / 10;
  const tokensPerSecond = Object.fromEntries([...totals].map(([way, ms]) => [way, perSecond(ms)]));
  console.log(JSON.stringify({ threads, rows, measured, tokensPerSecond, turns }));
}
await threadGroup[Symbol.asyncDispose]();

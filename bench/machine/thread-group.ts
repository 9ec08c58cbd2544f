// Threads that do the same thing at the same time, each on memory of its own: what the machine gives them together.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MachineTask, WorkerInit, WorkerReport } from './machine-worker.js';

/** Threads that are ready, and sleep between windows. */
export interface MachineThreadGroup extends AsyncDisposable {
  /** False when a thread computed something else than what is right: then its speed means nothing. */
  readonly isRight: boolean;
  /** Turns a second of all threads together, in one window. */
  measure(): Promise<number>;
}

/** Starts `threads` threads on `task` and waits until all are ready. */
export async function startThreadGroup(
  task: MachineTask,
  threads: number,
  windowMs: number,
  scalar: WebAssembly.Module,
): Promise<MachineThreadGroup> {
  const windows = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WorkerInit = { task, scalar, windows: windows.buffer, windowMs };
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./machine-worker.js', import.meta.url), { workerData }),
  );
  const reports = async (): Promise<WorkerReport[]> =>
    (await Promise.all(workers.map((worker) => once(worker, 'message')))).map(([report]) => report as WorkerReport);
  const callOut = (next: number): void => {
    Atomics.store(windows, 0, next);
    Atomics.notify(windows, 0);
  };
  const ready = await reports();
  let window = 0;
  return {
    isRight: ready.every((report) => 'isRight' in report && report.isRight),
    async measure() {
      const done = reports();
      callOut(++window);
      return (await done).reduce(
        (sum, report) => sum + ('turns' in report ? (report.turns * 1000) / report.ms : Number.NaN),
        0,
      );
    },
    async [Symbol.asyncDispose]() {
      const exits = workers.map((worker) => once(worker, 'exit'));
      callOut(-1);
      await Promise.all(exits);
    },
  };
}

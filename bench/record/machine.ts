// On what, and beside what else, something was measured.

import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { significant } from './statistics.js';

/** The machine as every line of results names it. */
export interface MachineState {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  /** The system's mean number of waiting processes over the last minute: it still counts what has just ended. */
  readonly loadAverage: number;
  /** Cores that others used while nothing of ours ran. */
  readonly otherWork: number;
}

/** Others may use this much of a core for a number to be published: beyond it two engines with a thread per core wait for each other. */
export const MAX_OTHER_WORK = 0.5;

const SAMPLE_MS = 3_000;

/** Looks for three seconds at what others do, while this process does nothing. */
export async function describeMachine(): Promise<MachineState> {
  const busy = busySeconds();
  const start = performance.now();
  await sleep(SAMPLE_MS);
  const seconds = (performance.now() - start) / 1000;
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadAverage: significant(loadavg()[0] ?? Number.NaN, 3),
    otherWork: significant((busySeconds() - busy) / seconds, 3),
  };
}

/** Seconds that all cores together have worked since the system started. */
export function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
}

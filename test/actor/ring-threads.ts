import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createRing, type RingKind } from '../../src/actor/index.js';
import type { RingJob, RingResult } from './fixtures/ring-thread.js';

/** A run of producers and one consumer, each on a thread of its own. */
export interface RingRun {
  readonly kind: RingKind;
  readonly producers: number;
  readonly records: number;
  readonly capacityBytes: number;
  /** Mean number of records between stalls; 0: none. */
  readonly stallEvery?: number;
}

/** What came out of it. */
export interface RingRunResult {
  readonly received: number;
  readonly producerHash: number;
  readonly consumerHash: number;
  readonly outOfOrder: number;
  readonly wakeUps: number;
  readonly seconds: number;
}

/** Runs it to its end. */
export async function runRingThreads(run: RingRun): Promise<RingRunResult> {
  const { kind, producers, records, capacityBytes, stallEvery = 400 } = run;
  const handle = createRing({ capacityBytes, kind });
  const share = Math.floor(records / producers);
  const job = (role: RingJob['role'], lane: number, count: number): RingJob => ({
    role,
    handle,
    lane,
    lanes: producers,
    records: count,
    seed: 77 + lane * 1_000,
    stallEvery,
  });
  const jobs = Array.from({ length: producers }, (_, lane) =>
    job('producer', lane, lane === 0 ? records - share * (producers - 1) : share),
  );
  const begin = performance.now();
  const results = await Promise.all([...jobs, job('consumer', 500, records)].map(runThread));
  const seconds = (performance.now() - begin) / 1_000;
  let producerHash = 0;
  for (const result of results) if (result.role === 'producer') producerHash = (producerHash + result.hash) % 2 ** 32;
  const consumer = results.find((result) => result.role === 'consumer');
  return {
    received: consumer?.count ?? 0,
    producerHash,
    consumerHash: consumer?.hash ?? -1,
    outOfOrder: consumer?.outOfOrder ?? -1,
    wakeUps: consumer?.wakeUps ?? 0,
    seconds,
  };
}

async function runThread(workerData: RingJob): Promise<RingResult> {
  const worker = new Worker(new URL('./fixtures/ring-thread.js', import.meta.url), { workerData });
  const [[result]] = await Promise.all([once(worker, 'message') as Promise<[RingResult]>, once(worker, 'exit')]);
  return result;
}

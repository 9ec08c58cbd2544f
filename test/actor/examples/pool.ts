// A supervised pool: workers on threads, the least busy one gets the next job, a job whose worker dies is done again.
import { actorKey, Actor, createSupervisor, withOptions, type Ref, type Supervisor } from '../../../src/actor/index.js';
import { AppError } from '../../../src/base/index.js';

/** Adds up numbers; one in a while it dies of one. */
export class Adder extends Actor {
  readonly #deaths: Int32Array;

  constructor(deaths: Int32Array) {
    super();
    this.#deaths = deaths;
  }

  async sum(numbers: readonly number[]): Promise<number> {
    // Each multiple of 10 kills one worker, the first time that it is seen.
    const first = numbers[0] ?? 0;
    if (first % 10 === 0 && Atomics.exchange(this.#deaths, first / 10, 1) === 0) process.exit(1);
    return numbers.reduce((total, number) => total + number, 0);
  }
}

/** Runs `job` on the least busy worker, again when the worker dies: only for work that may be done twice. */
async function onPool<T>(supervisor: Supervisor, job: (worker: Ref<Adder>) => Promise<T>): Promise<T> {
  for (;;) {
    const workers = supervisor.tree().children.toSorted((a, b) => a.mailboxDepth - b.mailboxDepth);
    const free = workers.find((worker) => worker.state === 'running') ?? workers[0];
    try {
      return await job(withOptions(supervisor.ref(actorKey<Adder>(free?.id ?? '')), { whenDown: 'wait' }));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'actor_crashed') throw error;
    }
  }
}

/** Sums of `count` pairs by two workers, and how often workers were replaced. */
export async function runPool(count: number): Promise<{ sums: readonly number[]; restarts: number }> {
  const deaths = new Int32Array(new SharedArrayBuffer(4 * count));
  const actor = { module: new URL(import.meta.url), name: 'Adder' };
  const worker = { actor, init: deaths, restart: 'permanent', shutdownMs: 100, placement: 'thread' } as const;
  await using supervisor = await createSupervisor({
    id: 'pool',
    strategy: 'oneForOne',
    intensity: count,
    periodMs: 60_000,
    backoffMs: { first: 0, max: 0 },
    children: [
      { id: 'adder-1', ...worker },
      { id: 'adder-2', ...worker },
    ],
  });
  const jobs = Array.from({ length: count }, (_, i) => onPool(supervisor, (adder) => adder.sum([i, i])));
  const sums = await Promise.all(jobs);
  return { sums, restarts: supervisor.tree().children.reduce((sum, child) => sum + child.restarts, 0) };
}

// The smallest tree: one counter on a thread. It loses its count when it crashes; its callers lose nothing else.
import { actorKey, Actor, createSupervisor, withOptions } from '../../../src/actor/index.js';

/** Counts. Counting down below zero is a bug of its own, and crashes it. */
export class Counter extends Actor {
  #count = 10;

  async add(by: number): Promise<number> {
    this.#count += by;
    if (this.#count < 0) throw new RangeError('a count below zero');
    return this.#count;
  }
}

const actor = { module: new URL(import.meta.url), name: 'Counter' };
const child = { id: 'counter', actor, init: null, restart: 'permanent', shutdownMs: 100, placement: 'thread' } as const;
const tree = { id: 'top', strategy: 'oneForOne', intensity: 3, periodMs: 5_000, children: [child] } as const;

/** Counts up, crashes the counter, and counts again. */
export async function runCounter(): Promise<readonly number[]> {
  await using supervisor = await createSupervisor(tree);
  const counter = withOptions(supervisor.ref(actorKey<Counter>('counter')), { deadlineMs: 5_000, whenDown: 'wait' });
  const before = await counter.add(1);
  await counter.add(-100).catch(() => {}); // actor_crashed
  return [before, await counter.add(1)];
}

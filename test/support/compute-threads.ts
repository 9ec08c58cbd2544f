// The threads of a device without an engine: for tests and benches of steps and sampling.

import { createSupervisor } from '../../src/actor/index.js';
import { computeThreadModule, Control, createControlMemory, type ThreadGroupInit } from '../../src/compute/index.js';

/** The threads beside the caller's, and what steers them. Disposing of it ends them. */
export interface ComputeThreads extends AsyncDisposable {
  readonly control: Control;
}

/** Starts the threads of a group of `init.threads`, of which the caller's own is the first. */
export async function startComputeThreads(init: Omit<ThreadGroupInit, 'control'>): Promise<ComputeThreads> {
  const memory = createControlMemory(init.threads);
  const control = new Control(memory);
  const supervisor = await createSupervisor({
    id: 'compute',
    strategy: 'oneForAll',
    intensity: 0,
    periodMs: 1,
    children: Array.from({ length: init.threads - 1 }, (_, index) => ({
      id: `compute-${index + 1}`,
      actor: { module: computeThreadModule(), name: 'ComputeThread' },
      init: () => ({ ...init, control: memory, thread: index + 1 }),
      placement: 'thread',
      restart: 'permanent',
      shutdownMs: 1_000,
      interrupt: () => control.stop(),
    })),
  });
  return { control, [Symbol.asyncDispose]: async () => supervisor.stop() };
}

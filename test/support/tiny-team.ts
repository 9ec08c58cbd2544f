// A tiny model whose steps run on this thread and others together.

import { createSupervisor } from '../../src/actor/index.js';
import { computeThreadModule, Control, createControlMemory, createDevice, openBanks } from '../../src/compute/index.js';
import { createTinyModel, type TinyModel, type TinyOptions } from './tiny-model.js';

/** The model of `options` on a team of two. Disposing of it ends the other thread. */
export async function startTinyTeam(options: TinyOptions = {}): Promise<TinyModel & AsyncDisposable> {
  const threads = 2;
  const model = await createTinyModel({ ...options, threads });
  const { program, plan, kernels, memories } = model;
  const memory = createControlMemory();
  const control = new Control(memory, threads);
  const supervisor = await createSupervisor({
    id: 'team',
    strategy: 'oneForOne',
    intensity: 0,
    periodMs: 1,
    children: [
      {
        id: 'compute-1',
        actor: { module: computeThreadModule, name: 'ComputeThread' },
        init: () => ({ program, plan, kernels, memories, control: memory, threads, thread: 1 }),
        placement: 'thread',
        restart: 'permanent',
        shutdownMs: 1_000,
        interrupt: () => control.stop(),
      },
    ],
  });
  return {
    ...model,
    device: createDevice(program, plan, openBanks(kernels, memories), control),
    [Symbol.asyncDispose]: async () => supervisor.stop(),
  };
}

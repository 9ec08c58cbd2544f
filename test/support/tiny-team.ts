// A tiny model whose steps run on this thread and others together.

import { createSupervisor } from '../../src/actor/index.js';
import { computeThreadModule, Control, createControlMemory, createDevice, openBanks } from '../../src/compute/index.js';
import { teamSizes } from '../../src/compute/team-views.js';
import { createTinyModel, type TinyModel, type TinyOptions } from './tiny-model.js';

/** A tiny model and the threads that compute on it beside the caller's. Disposing of it ends them. */
export interface TinyTeam extends TinyModel, AsyncDisposable {
  /** Steps that ran on each number of threads. */
  readonly stepsBySize: ReadonlyMap<number, number>;
}

/** The model of `options` on a team (default: of two), of which each step uses another part. */
export async function startTinyTeam(options: TinyOptions = {}): Promise<TinyTeam> {
  const threads = options.threads ?? 2;
  const model = await createTinyModel({ ...options, threads });
  const { program, plan, kernels, memories } = model;
  const memory = createControlMemory(threads);
  const control = new Control(memory);
  const supervisor = await createSupervisor({
    id: 'team',
    strategy: 'oneForAll',
    intensity: 0,
    periodMs: 1,
    children: Array.from({ length: threads - 1 }, (_, index) => ({
      id: `compute-${index + 1}`,
      actor: { module: computeThreadModule, name: 'ComputeThread' },
      init: () => ({ program, plan, kernels, memories, control: memory, threads, thread: index + 1 }),
      placement: 'thread',
      restart: 'permanent',
      shutdownMs: 1_000,
      interrupt: () => control.stop(),
    })),
  });
  const stepsBySize = new Map<number, number>();
  return {
    ...model,
    stepsBySize,
    device: createDevice(program, plan, openBanks(kernels, memories), control, eachInTurn(threads, stepsBySize)),
    [Symbol.asyncDispose]: async () => supervisor.stop(),
  };
}

/** Takes every size of a team in turn, the whole team first. */
function eachInTurn(threads: number, stepsBySize: Map<number, number>) {
  const sizes = teamSizes(threads).toReversed();
  let steps = 0;
  return {
    begin: () => {},
    choose: () => sizes[steps % sizes.length] ?? 1,
    learn: () => {
      const size = sizes[steps++ % sizes.length] ?? 1;
      stepsBySize.set(size, (stepsBySize.get(size) ?? 0) + 1);
    },
  };
}

// A tiny model whose steps run on this thread and others together.

import { threadGroupSizes } from '../../src/compute/devices/cpu/threads/thread-group-views.js';
import { createTinyModel, toDeviceMemory, type TinyModel, type TinyOptions } from './tiny-model.js';
import { startComputeThreads } from './compute-threads.js';

/** A tiny model and the threads that compute on it beside the caller's. Disposing of it ends them. */
export interface TinyThreadGroup extends TinyModel, AsyncDisposable {
  /** Steps that ran on each number of threads. */
  readonly stepsBySize: ReadonlyMap<number, number>;
}

/** The model of `options` on a thread group (default: of two), of which each step uses another part. */
export async function startTinyThreadGroup(options: TinyOptions = {}): Promise<TinyThreadGroup> {
  const threads = options.threads ?? 2;
  const model = await createTinyModel({ ...options, threads });
  const stepsBySize = new Map<number, number>();
  const memory = toDeviceMemory(model, threads);
  const computeThreads = await startComputeThreads(memory, eachInTurn(threads, stepsBySize));
  return {
    ...model,
    stepsBySize,
    device: computeThreads.device,
    [Symbol.asyncDispose]: () => computeThreads[Symbol.asyncDispose](),
  };
}

/** Takes every size of a thread group in turn, the whole thread group first. */
function eachInTurn(threads: number, stepsBySize: Map<number, number>) {
  const sizes = threadGroupSizes(threads).toReversed();
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

// A device over an artifact and the threads that compute with it, without an engine: for benches of steps and sampling.

import { openArtifact } from '../../src/artifact/index.js';
import { backends, createDevice, openSegments, type Device, type ComputeGraph } from '../../src/compute/index.js';
import { threadGroupSizes } from '../../src/compute/devices/cpu/threads/thread-group-views.js';
import { ThreadChoice } from '../../src/compute/devices/cpu/threads/thread-choice.js';
import { fillModelMemory, planModelMemory } from '../../src/engine/index.js';
import { startComputeThreads } from '../../test/support/compute-threads.js';

/** The device and its thread group, which disposing of it ends. */
export interface DeviceThreadGroup extends AsyncDisposable {
  readonly device: Device;
  readonly graph: ComputeGraph;
  /** Tokens of the longest sequence that its KV memory takes. */
  readonly contextLength: number;
}

/** Loads the artifact in `directory` for so many threads; `choice` says how many of them run a step. */
export async function startDeviceThreadGroup(
  directory: string,
  threads: number,
  choice: Parameters<typeof createDevice>[4] = new ThreadChoice(threadGroupSizes(threads)),
): Promise<DeviceThreadGroup> {
  const kernels = await backends.wasm.prepare({ kernel: 'auto' });
  await using artifact = await openArtifact(directory);
  const { graph, plan, memories, contextLength } = await fillModelMemory(
    artifact,
    planModelMemory(artifact, { threads }),
  );
  const computeThreads = await startComputeThreads({ graph, plan, kernels, memories, threads });
  const { control } = computeThreads;
  const device = createDevice(graph, plan, openSegments(kernels, memories), control, choice);
  return { device, graph, contextLength, [Symbol.asyncDispose]: () => computeThreads[Symbol.asyncDispose]() };
}

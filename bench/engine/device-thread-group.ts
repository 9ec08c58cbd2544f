// A device over an artifact and the threads that compute with it, without an engine: for benches of steps and sampling.

import { openArtifact } from '../../src/artifact/index.js';
import type { createDevice, SegmentDevice } from '../../src/compute/devices/cpu/index.js';
import { devices, type ComputeGraph } from '../../src/compute/index.js';
import { threadGroupSizes } from '../../src/compute/devices/cpu/threads/thread-group-views.js';
import { ThreadChoice } from '../../src/compute/devices/cpu/threads/thread-choice.js';
import { fillModelMemory, planModelMemory } from '../../src/engine/index.js';
import { startComputeThreads } from '../../test/support/compute-threads.js';

/** The device and its thread group, which disposing of it ends. */
export interface DeviceThreadGroup extends AsyncDisposable {
  readonly device: SegmentDevice;
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
  const device = await devices.cpu.prepare({ isPortable: false });
  await using artifact = await openArtifact(directory);
  const memory = await fillModelMemory(artifact, planModelMemory(artifact, { device, threads }));
  const { graph, contextLength } = memory;
  const computeThreads = await startComputeThreads(memory.device, choice);
  return {
    device: computeThreads.device,
    graph,
    contextLength,
    [Symbol.asyncDispose]: () => computeThreads[Symbol.asyncDispose](),
  };
}

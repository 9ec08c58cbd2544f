// The threads of a device without an engine: for tests and benches of steps and sampling.

import { createSupervisor } from '../../src/actor/index.js';
import { assert } from '../../src/base/index.js';
import type { DeviceMemory } from '../../src/compute/index.js';
import {
  Control,
  createDevice,
  isSegmentInit,
  openSegments,
  type SegmentDevice,
} from '../../src/compute/devices/cpu/index.js';

/** The device of a group of threads, of which the caller's own is the first. Disposing of it ends the others. */
export interface ComputeThreads extends AsyncDisposable {
  readonly device: SegmentDevice;
}

/** Starts the threads of a model in segments; `choice` says how many of them run a step. */
export async function startComputeThreads(
  memory: DeviceMemory,
  choice?: Parameters<typeof createDevice>[4],
): Promise<ComputeThreads> {
  const group = memory.children({ restart: 'permanent', shutdownMs: 1_000 });
  const supervisor = await createSupervisor({
    id: 'compute',
    strategy: 'oneForAll',
    intensity: 0,
    periodMs: 1,
    prepare: () => group.renew(),
    children: group.specs,
  });
  const init = group.init();
  assert(isSegmentInit(init), 'a model in segments');
  const segments = openSegments(init.kernels, init.memories);
  const device = createDevice(init.graph, init.plan, segments, new Control(init.control), choice);
  return { device, [Symbol.asyncDispose]: async () => supervisor.stop() };
}

/** The device that runs a graph in memory segments on a thread group, with a set of kernels. */

import { assert } from '../../../base/index.js';
import type { Device, DeviceInit, DevicePlan, PlanRequest, PreparedDevice, PrepareOptions } from '../../device.js';
import { createDevice } from './device.js';
import type { KernelSet, PreparedKernels } from './kernel-set.js';
import { cpuLayout } from './layout.js';
import { planModel } from './memory/plan-model.js';
import { allocateSegments, openSegments, segmentBytesTotal, tensorView } from './memory/segments.js';
import { createSegmentMemory, type SegmentInit } from './segment-memory.js';
import { Control } from './threads/control.js';

/** Makes kernels ready for the device `name`. Errors: `kernel_unavailable`. */
export async function prepareSegments(
  name: string,
  kernelSet: KernelSet,
  options: PrepareOptions,
): Promise<PreparedDevice> {
  const kernels = await kernelSet.prepare(options);
  const { variant, notes } = kernels;
  return { name, variant, notes, plan: (request) => planSegments(name, kernels, request) };
}

function planSegments(device: string, kernels: PreparedKernels, request: PlanRequest): DevicePlan {
  const { graph, tensors, threads } = request;
  const { plan, contextLength, kvBytesPerToken } = planModel(request);
  return {
    capacity: plan.capacity,
    contextLength,
    kvBytesPerToken,
    bytes: segmentBytesTotal(plan),
    async load(read) {
      const memories = allocateSegments(plan);
      const memory = createSegmentMemory({ device, graph, plan, kernels, memories, threads });
      try {
        const view = (name: string, bytes: number): Uint8Array => tensorView(plan, memories, name, bytes);
        await read(new Map(tensors.map((tensor) => [tensor.name, view(tensor.name, cpuLayout.bytes(tensor))])));
      } catch (error) {
        await memory.release();
        throw error;
      }
      return memory;
    },
  };
}

/** Opens what `prepareSegments` has planned and loaded: the first thread of its group. */
export function openSegmentDevice(init: DeviceInit, beat: () => void): Device {
  assert(isSegmentInit(init), 'a device is opened with what its own memory gives');
  const { graph, plan, kernels, memories, threads } = init;
  const control = threads > 1 ? new Control(init.control) : undefined;
  return createDevice(graph, plan, openSegments(kernels, memories), control, undefined, beat);
}

/** Whether `init` is of a device that works in segments. */
export function isSegmentInit(init: DeviceInit): init is SegmentInit {
  return 'memories' in init && 'control' in init;
}

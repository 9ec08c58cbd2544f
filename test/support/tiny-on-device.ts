// A tiny model on any device of the registry, as the engine's tree and an engine's thread see it.

import { present } from '../../src/base/index.js';
import {
  tensorBytes,
  type DeviceMemory,
  type DevicePlan,
  type PlanRequest,
  type PreparedDevice,
} from '../../src/compute/index.js';
import { fillTensors, planTinyModel, type TinyOptions } from './tiny-model.js';

/** What a device is asked to plan. */
export type TinyRequest = PlanRequest & Pick<ReturnType<typeof planTinyModel>, 'config' | 'tensors'>;

/** The request for the tiny model of `options`, on one thread. */
export function requestTiny(options: TinyOptions = {}): TinyRequest {
  const { config, graph, tensors } = planTinyModel(options);
  const { contextLength } = config;
  return { config, graph, tensors, quant: options.quant ?? 'q8', contextLength, maxSequences: 16, threads: 1 };
}

/** Loads its weights, the same on every device. */
export function loadTiny({ tensors }: TinyRequest, plan: DevicePlan): Promise<DeviceMemory> {
  return plan.load(async (targets) => {
    fillTensors(tensors, (name) => present(targets.get(name), `a target for ${name}`));
  });
}

/** Plans and loads. */
export function loadOn(device: PreparedDevice, request: TinyRequest): Promise<DeviceMemory> {
  return loadTiny(request, device.plan(request));
}

/** Bytes of all weights. */
export function weightBytes({ tensors }: TinyRequest): number {
  return tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
}

// A tiny model on any device of the registry, as the engine's tree and an engine's thread see it.

import { present } from '../../src/base/index.js';
import {
  devices,
  layoutOf,
  repack,
  type DeviceMemory,
  type DevicePlan,
  type PlannedTensor,
  type PlanRequest,
  type PreparedDevice,
  type WeightLayout,
} from '../../src/compute/index.js';
import { fillTensors, planTinyModel, type TinyOptions } from './tiny-model.js';

/** What a device is asked to plan. */
export type TinyRequest = PlanRequest &
  Pick<ReturnType<typeof planTinyModel>, 'config'> & {
    readonly layout: WeightLayout;
    /** The tensors in the CPU's layout, which all devices get their weights from. */
    readonly drawn: ReturnType<typeof planTinyModel>['tensors'];
  };

/** The request for the tiny model of `options` to the device `name`, on one thread. */
export function requestTiny(options: TinyOptions = {}, name = 'cpu'): TinyRequest {
  const { config, graph, specs, tensors: drawn } = planTinyModel(options);
  const { contextLength } = config;
  const quant = options.quant ?? 'q8';
  const layout = layoutOf(name);
  const tensors = layout.arrange(graph, specs).map((tensor): PlannedTensor => {
    return { ...tensor, quant: tensor.kind === 'vector' ? 'f32' : quant };
  });
  return { config, graph, tensors, layout, drawn, quant, contextLength, maxSequences: 16, threads: 1 };
}

/** Loads its weights, the same on every device. */
export function loadTiny({ layout, tensors, drawn }: TinyRequest, plan: DevicePlan): Promise<DeviceMemory> {
  return plan.load(async (targets) => {
    const targetOf = (name: string): Uint8Array => present(targets.get(name), `a target for ${name}`);
    if (layout === devices.cpu.layout) return fillTensors(drawn, targetOf);
    const packed = new Map<string, Uint8Array>();
    fillTensors(drawn, (name, sizeBytes) => {
      packed.set(name, new Uint8Array(sizeBytes));
      return present(packed.get(name), 'just made');
    });
    const from = {
      layout: devices.cpu.layout,
      tensors: drawn,
      bytes: (name: string) => packed.get(name) as Uint8Array,
    };
    await repack(from, { layout, tensors, bytes: targetOf }, () => Promise.resolve());
  });
}

/** Plans and loads. */
export function loadOn(device: PreparedDevice, request: TinyRequest): Promise<DeviceMemory> {
  return loadTiny(request, device.plan(request));
}

/** Bytes of all weights. */
export function weightBytes({ layout, tensors }: TinyRequest): number {
  return tensors.reduce((sum, tensor) => sum + layout.bytes(tensor), 0);
}

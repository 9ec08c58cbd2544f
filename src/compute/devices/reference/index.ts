import type { DeviceKind } from '../../device.js';
import { reference as kernels } from '../cpu/reference/index.js';
import { openSegmentDevice, prepareSegments } from '../cpu/segment-device.js';

/**
 * The slow twin of every device: the CPU's memory and graph with kernels in plain TypeScript, on one thread. Right, and too
 * slow for more than tests.
 */
export const reference: DeviceKind = {
  name: 'reference',
  usesThreads: false,
  prepare: (options) => prepareSegments('reference', kernels, options),
  open: openSegmentDevice,
};
